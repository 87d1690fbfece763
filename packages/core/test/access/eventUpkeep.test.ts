import { assert, describe, it } from "@effect/vitest"
import { AdminStore, type EventUpkeepOptions, KeyStore, layerEventUpkeep, LedgerStore } from "@tapeline/core/engine"
import { MemoryState, MemoryStores } from "@tapeline/testing"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

const november = Date.UTC(2026, 10, 20)

/** Two processes that keep the events of one database, from a day in November 2026. */
const withTwoProcesses = (options: EventUpkeepOptions = {}) => <A, E>(test: Effect.Effect<A, E, Stores>) =>
  Effect.andThen(
    TestClock.setTime(november),
    Effect.provide(
      test,
      Layer.merge(layerEventUpkeep(options), Layer.fresh(layerEventUpkeep(options))).pipe(
        Layer.provideMerge(MemoryStores)
      )
    )
  )

type Stores = AdminStore | KeyStore | LedgerStore | MemoryState

const newAccount = (monthlyCredits: number) =>
  Effect.gen(function*() {
    const [keys, ledger] = yield* Effect.all([KeyStore, LedgerStore])
    yield* ledger.definePlans({ small: monthlyCredits })
    return (yield* keys.createAccount({ name: "a", plan: "small", now: null })).id
  })

const use = (account: number, credits: number) =>
  Effect.gen(function*() {
    const ledger = yield* LedgerStore
    const [admission] = yield* ledger.reserve([
      { account, actor: { _tag: "Task", task: 1 }, tool: "get_price", credits, ttlMs: 1_000, idempotency: null }
    ])
    assert(admission?._tag === "Admitted")
    yield* ledger.end([{ reservation: admission.reservation, outcome: { _tag: "Settle", response: null } }])
  })

const readEvents = Effect.flatMap(AdminStore, (store) => store.events({ after: 0, limit: 100 }))

describe("the upkeep of events", () => {
  it.effect("records each credit threshold of a month once within a minute, in two processes", () =>
    Effect.gen(function*() {
      const account = yield* newAccount(10)
      yield* use(account, 8)
      yield* TestClock.adjust("60 seconds")
      const event = { type: "credits.used_80", account, target: "month 2026-11", before: null } as const
      const [first, ...rest] = yield* readEvents
      assert.deepInclude(first, { ...event, after: { month: "2026-11", credits: 10, used: 8 }, actor: "service" })
      assert.deepStrictEqual(rest, [])
      yield* use(account, 2)
      yield* TestClock.adjust("60 seconds")
      yield* TestClock.adjust("60 seconds")
      assert.deepStrictEqual((yield* readEvents).map(({ type }) => type), ["credits.used_80", "credits.used_100"])
    }).pipe(withTwoProcesses()))

  it.effect("records queued events within seven seconds", () =>
    Effect.gen(function*() {
      const { queuedEvents } = yield* MemoryState
      queuedEvents.push({ type: "task.fired", account: 1, target: "task 2", after: { firing: 3 }, time: november })
      yield* TestClock.adjust("7 seconds")
      assert.deepStrictEqual((yield* readEvents).map(({ time, type }) => [type, time]), [["task.fired", november]])
      assert.deepStrictEqual(queuedEvents, [])
    }).pipe(withTwoProcesses()))

  it.effect("deletes all events that are older than the retention, and keeps later ones", () =>
    Effect.gen(function*() {
      const store = yield* AdminStore
      const event = { type: "account.updated", account: 1, target: null, before: null, after: null } as const
      yield* store.record(Array.from({ length: 1_500 }, () => event))
      yield* TestClock.adjust("29 days")
      yield* store.record([event])
      assert.strictEqual((yield* store.events({ after: 0, limit: 9_999 })).length, 1_501)
      yield* TestClock.adjust("2 days")
      assert.strictEqual((yield* store.events({ after: 0, limit: 9_999 })).length, 1)
    }).pipe(withTwoProcesses({ retentionDays: 30, publishIntervalMs: 1e10, thresholdIntervalMs: 1e10 })))
})
