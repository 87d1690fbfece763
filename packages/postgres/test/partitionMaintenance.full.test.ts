import { PgClient } from "@effect/sql-pg"
import { assert, describe, layer as withLayer } from "@effect/vitest"
import { type Idempotency, KeyStore, LedgerStore, type Reservation, type ReserveRequest } from "@tapeline/core/engine"
import { Context, Deferred, Effect, Fiber, Layer, Logger } from "effect"
import {
  type Client,
  makeFreshPglite,
  makeFreshPostgres,
  makeMigratedClient,
  makeMigratedDatabase,
  waitForLockWaiters,
  withLockHeld,
  withStores
} from "./support/databases.ts"

const dayMs = 86_400_000

const ask = (account: number, idempotency: Idempotency | null = null): ReserveRequest => ({
  account,
  actor: { _tag: "Key", key: 1 },
  tool: "get_price",
  credits: 1,
  ttlMs: 60_000,
  idempotency
})

const newAccount = (plan: string) =>
  Effect.map(
    Effect.flatMap(KeyStore, (keys) => keys.createAccount({ name: "tended", plan, now: 0 })),
    ({ id }) => id
  )

const settleCall = Effect.fnUntraced(function*(account: number, at: number, retentionMs: number) {
  const store = yield* LedgerStore
  const idempotency = { key: "k", fingerprint: "f", retentionMs }
  const [admission] = yield* store.reserve([ask(account, idempotency)], { at })
  assert(admission?._tag === "Admitted")
  yield* store.end([{ reservation: admission.reservation, outcome: { _tag: "Settle", response: "paid" } }], {
    at: at + 1
  })
  return { idempotency, reservation: admission.reservation }
})

/** Returns the state of a reservation, which is `unknown` for a deleted reservation. */
const isReplayed = Effect.fnUntraced(function*(reservation: Reservation) {
  const [ending] = yield* (yield* LedgerStore).end([{ reservation, outcome: { _tag: "Release" } }])
  return ending?._tag === "AlreadyEnded" ? ending.outcome : ending?._tag
})

const months = Effect.flatMap(PgClient.PgClient, (sql) =>
  Effect.map(
    sql<{ month: string }>`select right(relname, 6) as month from pg_class
      where relname ~ '^credit_reservations_[0-9]{6}$' order by 1`,
    (rows) => rows.map(({ month }) => month)
  ))

const housekeeping = (name: string, client: Layer.Layer<Client>) =>
  withLayer(withStores(client), { excludeTestServices: true, timeout: 60_000 })(`housekeeping: ${name}`, (it) => {
    for (const hasRoom of [true, false]) {
      it.effect(`keeps an answer that is still replayed, ${hasRoom ? "with" : "without"} a partition for it`, () =>
        Effect.gen(function*() {
          const store = yield* LedgerStore
          yield* store.definePlans({ kept: 100 })
          const account = yield* newAccount("kept")
          const at = Date.UTC(hasRoom ? 2041 : 2043, 9, 31, 20)
          if (hasRoom) yield* store.runHousekeeping(2, { at })
          const { idempotency, reservation } = yield* settleCall(account, at, 40 * dayMs)
          const later = { at: at + 39 * dayMs }
          yield* store.runHousekeeping(2, later)
          assert.deepStrictEqual(yield* store.idempotencyState(account, idempotency, later), {
            _tag: "Replayed",
            response: "paid",
            call: { month: reservation.month, entry: reservation.entry }
          })
          assert.strictEqual((yield* store.reserve([ask(account, idempotency)], later))[0]?._tag, "Replayed")
          assert.strictEqual(yield* isReplayed(reservation), "settled")
          yield* store.runHousekeeping(2, { at: at + 41 * dayMs })
          assert.strictEqual(yield* isReplayed(reservation), "unknown")
        }))
    }

    it.effect("applies a plan that a dead process defined but did not apply", () =>
      Effect.gen(function*() {
        const [sql, store] = [yield* PgClient.PgClient, yield* LedgerStore]
        yield* store.definePlans({ laid: 100 })
        const account = yield* newAccount("laid")
        yield* store.reserve([ask(account)])
        yield* sql`select credit_define_plans_2('{laid}', '{70}')`
        assert.strictEqual((yield* store.balance(account, null))?.monthlyCredits, 100)
        yield* store.runHousekeeping(13)
        assert.strictEqual((yield* store.balance(account, null))?.monthlyCredits, 70)
      }))
  })

housekeeping("PGlite", makeFreshPglite())

const twoClients = Effect.gen(function*() {
  const { url } = yield* makeMigratedDatabase
  const node = yield* Layer.build(withStores(makeMigratedClient(url)))
  const session = Effect.map(Layer.build(Layer.fresh(makeMigratedClient(url))), Context.get(PgClient.PgClient))
  return { node, other: yield* session, observer: yield* session }
})

describe("housekeeping", () => housekeeping("PostgreSQL", makeFreshPostgres()))

describe(
  "housekeeping: concurrency",
  () =>
    withLayer(Layer.empty, { excludeTestServices: true, timeout: 60_000 })(
      "housekeeping next to other sessions",
      (it) => {
        it.effect("creates new months and drops other old ones while a session reads an old month", () =>
          Effect.gen(function*() {
            const { node, other } = yield* twoClients
            yield* Effect.gen(function*() {
              const store = yield* LedgerStore
              const logLines: Array<string> = []
              const logger = Logger.make(({ message }) => void logLines.push(String(message)))
              const maintain = (at: number) => Effect.provide(store.runHousekeeping(2, { at }), Logger.layer([logger]))
              for (const month of [1, 4]) yield* store.runHousekeeping(13, { at: Date.UTC(2045, month - 1, 15) })
              const before = yield* months
              const reading = withLockHeld(other, "select count(*) from credit_reservations_204501")
              const now = Date.UTC(2045, 6, 15)
              yield* reading(Effect.andThen(maintain(now), maintain(now)))
              assert.deepStrictEqual(
                (yield* months).filter((month) => month > "204500"),
                ["204501", "204506", "204507", "204508", "204509"]
              )
              assert.isTrue(before.includes("204502"))
              assert.deepStrictEqual(logLines.filter((line) => line.includes("204501")).length, 1)
              yield* maintain(now)
              assert.isFalse((yield* months).includes("204501"))
            }).pipe(Effect.provide(node))
          }))

        it.effect("delays no call while it waits for the table", () =>
          Effect.gen(function*() {
            const { node, other } = yield* twoClients
            yield* Effect.gen(function*() {
              const store = yield* LedgerStore
              yield* store.definePlans({ waiting: 100 })
              const account = yield* newAccount("waiting")
              yield* store.runHousekeeping(2, { at: Date.UTC(2026, 0, 15) })
              yield* store.reserve([ask(account)])
              yield* withLockHeld(other, "select count(*) from credit_reservations")(Effect.andThen(
                store.runHousekeeping(2, { at: Date.UTC(2045, 6, 15) }),
                store.reserve([ask(account)])
              ))
              assert.isTrue((yield* months).includes("202601"))
            }).pipe(Effect.provide(node))
          }))
      }
    )
)

describe(
  "plans",
  () =>
    withLayer(Layer.empty, { excludeTestServices: true, timeout: 60_000 })("plans next to other sessions", (it) => {
      it.effect("are applied again if they were changed and changed back while they were applied", () =>
        Effect.gen(function*() {
          const { node, observer, other } = yield* twoClients
          yield* Effect.gen(function*() {
            const store = yield* LedgerStore
            yield* store.definePlans({ changing: 100 })
            const account = yield* newAccount("changing")
            yield* store.reserve([ask(account)])
            yield* other`select credit_define_plans_2('{changing}', '{200}')`
            const plansApplied = Effect.map(other<{ laid: boolean }>`select laid from plans`, ([row]) => row?.laid)
            // The process that applies plans has read the allotment 200. Before the process writes, one node sets and
            // applies 300, and another node sets 200 again.
            const [locked, plansChanged] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
            const changing = yield* Effect.forkChild(other.withTransaction(Effect.gen(function*() {
              yield* other`lock table plans in exclusive mode`
              yield* Deferred.succeed(locked, undefined)
              yield* Deferred.await(plansChanged)
              yield* other`update plans set monthly_credits = 300`
              yield* other`update plans set monthly_credits = 200`
            })))
            yield* Deferred.await(locked)
            const applyPlans = yield* Effect.forkChild(store.runHousekeeping(13))
            yield* waitForLockWaiters(observer, 1)
            yield* Deferred.succeed(plansChanged, undefined)
            yield* Effect.all([Fiber.join(changing), Fiber.join(applyPlans)])
            assert.isFalse(yield* plansApplied)
            yield* store.runHousekeeping(13)
            assert.isTrue(yield* plansApplied)
          }).pipe(Effect.provide(node))
        }))
    })
)
