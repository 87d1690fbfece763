import { assert, layer as withLayer } from "@effect/vitest"
import {
  type Failpoint,
  Failpoints,
  failpoints,
  KeyStore,
  LedgerStore,
  type LedgerWrite,
  type Reservation,
  type ReserveRequest,
  StoreUnavailable
} from "@tapeline/core/engine"
import { Context, Effect, Layer } from "effect"
import { brokenRules, type LedgerRows } from "../ledger/rows.ts"

const now = Date.UTC(2026, 10, 20)
const month = "2026-11"
const minute = 60_000
const idempotency = { key: "once", fingerprint: "f", retainMs: 1_440 * minute }
const ask = (account: number, ttlMs = minute): ReserveRequest => ({
  account,
  actor: { _tag: "Key", key: 1 },
  tool: "get_price",
  credits: 2,
  ttlMs,
  idempotency: null
})
const at = { at: now }

class Armed
  extends Context.Service<Armed, { point: Failpoint | null }>()("@tapeline/testing/contracts/ledgerFailpoints/Armed")
{
  static readonly layer = Layer.sync(Armed, () => ({ point: null }))
  static readonly hook: Layer.Layer<never, never, Armed> = Layer.effect(
    Failpoints,
    Effect.map(Armed, (armed) => (point: Failpoint) =>
      point === armed.point
        ? Effect.fail(new StoreUnavailable({ store: "LedgerStore", cause: new Error(`died at ${point}`) }))
        : Effect.void)
  )
}

/**
 * The contract tests of connection failures just before or after a durable write. A failure before the write changes
 * nothing, and after the write the change is complete. The ledger's rules always hold, and expired reservations leave
 * nothing.
 */
export const ledgerFailpointContract = <R, E>(
  name: string,
  make: (failpoints: Layer.Layer<never, never, Armed>) => Layer.Layer<LedgerStore | KeyStore | R, E, Armed>,
  rowsOf: (accounts: ReadonlyArray<number>) => Effect.Effect<LedgerRows, unknown, R>
): void =>
  withLayer(make(Armed.hook).pipe(Layer.provideMerge(Armed.layer)), { excludeTestServices: true, timeout: 60_000 })(
    `failpoints: ${name}`,
    (it) => {
      for (const point of failpoints) {
        it.effect(point, () =>
          Effect.gen(function*() {
            const [ledger, keys, armed] = [yield* LedgerStore, yield* KeyStore, yield* Armed]
            yield* ledger.definePlans({ faults: 20, better: 40 }, at)
            const { id: account } = yield* keys.createAccount({ name: "faults", plan: "faults", now })
            const [running, lapsing] = (yield* ledger.reserve([ask(account), ask(account, 1)], at)).map(
              (answer): Reservation => {
                assert(answer._tag === "Admitted")
                return answer.reservation
              }
            ) as [Reservation, Reservation] // one of each request

            const settle = ledger.end([{ reservation: running, outcome: { _tag: "Settle", answer: null } }], at)
            const keyed = ledger.reserve([{ ...ask(account), idempotency }], at)
            const writes: Record<LedgerWrite, Effect.Effect<unknown, StoreUnavailable>> = {
              reserve: keyed,
              end: settle,
              renew: ledger.renew(running, 5 * minute, at),
              expire: ledger.expire(100, { at: now + 1 }),
              changePlan: ledger.changePlan(account, "better", at),
              definePlans: ledger.definePlans({ faults: 30 }, at)
            }
            // Failpoints have the form `side:write`.
            const [side, write] = point.split(":") as ["before" | "after", LedgerWrite]
            const before = yield* rowsOf([account])
            armed.point = point
            const error = yield* Effect.flip(writes[write])
            armed.point = null
            assert.instanceOf(error, StoreUnavailable)
            const after = yield* rowsOf([account])
            assert.deepStrictEqual(brokenRules(after), [])
            if (side === "before") assert.deepStrictEqual(after, before)
            else assert.notDeepEqual(after, before)

            // The caller then retries with its key, and ends its reservation.
            const [again] = yield* keyed
            assert.strictEqual(again?._tag, point === "after:reserve" ? "InProgress" : "Admitted")
            const [ending] = yield* settle
            if (point === "after:end") assert.deepInclude(ending, { _tag: "AlreadyEnded", how: "settled" })
            else assert.strictEqual(ending?._tag, "Ended")
            assert.strictEqual((yield* ledger.books(account, month))?.used, 2)

            while ((yield* ledger.expire(100, { at: now + 10 * minute })) > 0);
            const rows = yield* rowsOf([account])
            assert.deepStrictEqual(brokenRules(rows), [])
            assert.isTrue(rows.entries.every(({ state }) => state !== "reserved"))
            assert.strictEqual(rows.entries.find(({ id }) => id === lapsing.entry)?.state, "expired")
            assert.strictEqual((yield* ledger.books(account, month))?.used, 2)
            const later = yield* ledger.reserve([{ ...ask(account), idempotency }], { at: now + 10 * minute })
            assert.strictEqual(later[0]?._tag, "Admitted")
          }))
      }
    }
  )
