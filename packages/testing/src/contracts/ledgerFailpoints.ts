import { assert, layer as withLayer } from "@effect/vitest"
import {
  type ChargeRequest,
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
import { findRuleViolations, type LedgerRows } from "../ledger/rows.ts"

const now = Date.UTC(2026, 10, 20)
const month = "2026-11"
const minuteMs = 60_000
const idempotency = { key: "once", fingerprint: "f", retentionMs: 1_440 * minuteMs }
const makeRequest = (account: number, ttlMs = minuteMs): ReserveRequest => ({
  account,
  actor: { _tag: "Key", key: 1 },
  tool: "get_price",
  credits: 2,
  ttlMs,
  idempotency: null
})
const makeCharge = (account: number, id: number): ChargeRequest => ({
  id,
  account,
  actor: { _tag: "Key", key: 1 },
  tool: "get_price",
  credits: 2,
  idempotency: { ...idempotency, key: "charged" },
  response: "{\"tool\":\"get_price\"}",
  isRepeated: false
})
const atNow = { at: now }
const note = { reason: "goodwill", reference: null }

const newKey = { name: "faults", prefix: "tl", scopes: [], expiresAt: null, limit: 10, now }
const makeHash = () => crypto.randomUUID().replaceAll("-", "").repeat(2)

class ArmedFailpoint extends Context.Service<ArmedFailpoint, { point: Failpoint | null }>()(
  "@tapeline/testing/contracts/ledgerFailpoints/Armed"
) {
  static readonly layer = Layer.sync(ArmedFailpoint, () => ({ point: null }))
  static readonly layerFailpoints: Layer.Layer<never, never, ArmedFailpoint> = Layer.effect(
    Failpoints,
    Effect.map(ArmedFailpoint, (armed) => (point: Failpoint) =>
      point === armed.point
        ? Effect.fail(new StoreUnavailable({ store: "LedgerStore", cause: new Error(`died at ${point}`) }))
        : Effect.void)
  )
}

/**
 * Defines the contract tests of connection failures of the ledger. Each test breaks the database connection just before
 * or just after a durable write. A failure before the write changes nothing, and a failure after the write leaves a
 * complete change. The ledger rules hold after every connection failure. The expiry of reservations releases all
 * reserved credits.
 */
export const ledgerFailpointContract = <R, E>(
  name: string,
  makeLayer: (
    failpoints: Layer.Layer<never, never, ArmedFailpoint>
  ) => Layer.Layer<LedgerStore | KeyStore | R, E, ArmedFailpoint>,
  readRows: (accounts: ReadonlyArray<number>) => Effect.Effect<LedgerRows, unknown, R>
): void =>
  withLayer(makeLayer(ArmedFailpoint.layerFailpoints).pipe(Layer.provideMerge(ArmedFailpoint.layer)), {
    excludeTestServices: true,
    timeout: 60_000
  })(
    `failpoints: ${name}`,
    (it) => {
      for (const point of failpoints) {
        it.effect(point, () =>
          Effect.gen(function*() {
            const [ledger, keys, armed] = [yield* LedgerStore, yield* KeyStore, yield* ArmedFailpoint]
            yield* ledger.definePlans({ faults: 20, better: 40 }, atNow)
            const { id: account } = yield* keys.createAccount({ name: "faults", plan: "faults", now })
            const [activeReservation, expiringReservation] =
              (yield* ledger.reserve([makeRequest(account), makeRequest(account, 1)], atNow)).map(
                (answer): Reservation => {
                  assert(answer._tag === "Admitted")
                  return answer.reservation
                }
              ) as [Reservation, Reservation] // two requests give two reservations

            const { id: key } = yield* keys.createKey({ ...newKey, account, hash: makeHash() })
            const callIds = yield* ledger.callIds(2)
            const settle = ledger.end(
              [{ reservation: activeReservation, outcome: { _tag: "Settle", response: null } }],
              atNow
            )
            const reserveWithKey = ledger.reserve([{ ...makeRequest(account), idempotency }], atNow)
            const writes: Record<LedgerWrite, Effect.Effect<unknown, StoreUnavailable>> = {
              reserve: reserveWithKey,
              end: settle,
              charge: ledger.charge([makeCharge(account, callIds[0]!)], atNow),
              recordFailures: ledger.recordFailures([makeCharge(account, callIds[1]!)], atNow),
              renew: ledger.renew(activeReservation, 5 * minuteMs, atNow),
              expire: ledger.expire(100, { at: now + 1 }),
              changePlan: ledger.changePlan(account, "better", atNow),
              definePlans: ledger.definePlans({ faults: 30 }, atNow),
              adjust: ledger.adjust({ account, kind: "grant", amount: 5, month: null, months: 2, ...note }, atNow),
              limitKey: ledger.limitKey(key, 9, atNow)
            }
            // The cast is safe, because each failpoint has the form `side:write`.
            const [side, write] = point.split(":") as ["before" | "after", LedgerWrite]
            const before = yield* readRows([account])
            armed.point = point
            const error = yield* Effect.flip(writes[write])
            armed.point = null
            assert.instanceOf(error, StoreUnavailable)
            const after = yield* readRows([account])
            assert.deepStrictEqual(findRuleViolations(after), [])
            if (side === "before") assert.deepStrictEqual(after, before)
            else assert.notDeepEqual(after, before)

            const [secondAdmission] = yield* reserveWithKey
            assert.strictEqual(secondAdmission?._tag, point === "after:reserve" ? "InProgress" : "Admitted")
            const repeated = { ...makeCharge(account, callIds[0]!), isRepeated: true }
            assert.strictEqual((yield* ledger.charge([repeated], atNow))[0]?._tag, "Charged")
            const [ending] = yield* settle
            if (point === "after:end") assert.deepInclude(ending, { _tag: "AlreadyEnded", outcome: "settled" })
            else assert.strictEqual(ending?._tag, "Ended")
            assert.strictEqual((yield* ledger.balance(account, month))?.used, 4)

            while ((yield* ledger.expire(100, { at: now + 10 * minuteMs })) > 0);
            const rows = yield* readRows([account])
            assert.deepStrictEqual(findRuleViolations(rows), [])
            assert.isTrue(rows.entries.every(({ state }) => state !== "reserved"))
            assert.strictEqual(rows.entries.find(({ id }) => id === expiringReservation.entry)?.state, "expired")
            assert.strictEqual((yield* ledger.balance(account, month))?.used, 4)
            const afterExpiry = yield* ledger.reserve([{ ...makeRequest(account), idempotency }], {
              at: now + 10 * minuteMs
            })
            assert.strictEqual(afterExpiry[0]?._tag, "Admitted")
          }))
      }
    }
  )
