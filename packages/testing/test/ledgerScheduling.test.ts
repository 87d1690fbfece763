import { KeyStore, Ledger, LedgerStore } from "@tapeline/core/engine"
import { MemoryKeyStore, MemoryLedgerStore, MemoryState } from "@tapeline/testing"
import { isFullRun } from "@tapeline/testing/fullRun"
import { mutantLedgerStore } from "@tapeline/testing/ledger/mutants"
import { findRuleViolations, readMemoryRows } from "@tapeline/testing/ledger/rows"
import { Effect, Layer } from "effect"
import fc from "fast-check"
import { assert, describe, it } from "vitest"

const slow = (scheduler: fc.Scheduler): Layer.Layer<LedgerStore, never, LedgerStore> =>
  Layer.effect(
    LedgerStore,
    Effect.map(LedgerStore, (store) => {
      const pause = (name: string) => Effect.promise(() => scheduler.schedule(Promise.resolve(), name))
      const delayCall =
        <A extends ReadonlyArray<unknown>, B, E>(name: string, call: (...args: A) => Effect.Effect<B, E>) =>
        (...args: A) =>
          Effect.andThen(pause(`${name} is heard`), Effect.tap(call(...args), () => pause(`${name} is answered`)))
      return LedgerStore.of({
        ...store,
        reserve: delayCall("reserve", store.reserve),
        end: delayCall("end", store.end),
        balance: delayCall("books", store.balance)
      })
    })
  )

const memory = Layer.mergeAll(MemoryKeyStore, MemoryLedgerStore).pipe(Layer.provideMerge(MemoryState.layer))

const callers = fc.array(
  fc.record({
    account: fc.nat({ max: 1 }),
    credits: fc.constantFrom(1, 2, 3),
    does: fc.constantFrom("settle", "release", "leave")
  }),
  { minLength: 2, maxLength: 12 }
)

/**
 * Runs callers that compete for two accounts with 7 credits each. The scheduler chooses the order of the callers'
 * steps.
 */
const race = (
  stores: (scheduler: fc.Scheduler) => Layer.Layer<KeyStore | LedgerStore | MemoryState>,
  inFlight: number
) =>
  fc.asyncProperty(callers, fc.scheduler(), async (asks, scheduler) => {
    const program = Effect.gen(function*() {
      const [keys, store, ledger] = [yield* KeyStore, yield* LedgerStore, yield* Ledger]
      yield* store.definePlans({ seven: 7 })
      const accounts = (yield* Effect.forEach([1, 2], () => keys.createAccount({ name: "a", plan: "seven", now: 0 })))
        .map(({ id }) => id)
      const answers = yield* Effect.forEach(asks, ({ account, credits, does }) =>
        Effect.gen(function*() {
          const request = {
            account: accounts[account]!,
            actor: { _tag: "Key", key: 1 } as const,
            tool: "t",
            credits,
            ttlMs: 60_000,
            idempotency: null
          }
          const answer = yield* ledger.reserve(request)
          if (answer._tag !== "Admitted" || does === "leave") return answer
          yield* does === "settle"
            ? Effect.asVoid(ledger.settle(answer.reservation, null))
            : Effect.asVoid(ledger.release(answer.reservation))
          return answer
        }), { concurrency: "unbounded" })
      return { answers, rows: yield* readMemoryRows(accounts) }
    })
    const layer = Ledger.layerWith({ maxBatch: 4, batchesInFlight: inFlight }).pipe(
      Layer.provideMerge(stores(scheduler))
    )
    const { answers, rows } = await scheduler.waitFor(Effect.runPromise(Effect.provide(program, layer)))
    assert.deepStrictEqual(findRuleViolations(rows), [])
    for (const { account, month, reserved, used } of rows.months) {
      const ownReservations = asks.flatMap((ask, i) => {
        const answer = answers[i]!
        return answer._tag === "Admitted" && answer.reservation.account === account &&
            answer.reservation.month === month
          ? [{ ...ask, answer }]
          : []
      })
      const sum = (does: string) =>
        ownReservations.filter((one) => one.does === does).reduce((total, { credits }) => total + credits, 0)
      assert.deepStrictEqual([used, reserved], [sum("settle"), sum("leave")])
      assert.isAtMost(used + reserved, 7)
      assert.isTrue(ownReservations.every(({ answer }) => answer.creditsLeft >= 0))
    }
  })

describe("the ledger under random orders of events", () => {
  it("keeps balances correct", { timeout: 120_000 }, async () => {
    const details = await fc.check(race((scheduler) => slow(scheduler).pipe(Layer.provideMerge(memory)), 2), {
      numRuns: isFullRun ? 2_000 : 60
    })
    console.log(`scheduled: seed ${details.seed}, ${details.numRuns} runs`)
    assert.isFalse(details.failed, fc.defaultReportMessage(details) ?? "")
  })

  it("detects a store that reads first and writes later", { timeout: 120_000 }, async () => {
    const mutantStore = (scheduler: fc.Scheduler) =>
      mutantLedgerStore(2).pipe(Layer.provideMerge(slow(scheduler).pipe(Layer.provideMerge(memory))))
    const details = await fc.check(race(mutantStore, 4), { numRuns: 10_000, endOnFailure: true })
    console.log(`read first, write later: seed ${details.seed}, caught in run ${details.numRuns}`)
    assert.isTrue(details.failed)
  })
})
