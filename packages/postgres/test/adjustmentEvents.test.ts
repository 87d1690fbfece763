import { PgClient } from "@effect/sql-pg"
import { assert, describe, it, layer as withLayer } from "@effect/vitest"
import {
  type AdjustmentRequest,
  AdminStore,
  KeyStore,
  Ledger,
  LedgerStore,
  makeAdjustCredits
} from "@tapeline/core/engine"
import { Context, Effect, Fiber, Layer } from "effect"
import {
  makeFreshPostgres,
  makeMigratedClient,
  makeMigratedDatabase,
  waitForLockWaiters,
  withLockHeld,
  withStores
} from "./support/databases.ts"

const newAccount = Effect.gen(function*() {
  yield* (yield* LedgerStore).definePlans({ adjusted: 10 })
  return (yield* (yield* KeyStore).createAccount({ name: "adjusted", plan: "adjusted", now: 0 })).id
})

const makeGrant = (account: number): AdjustmentRequest => ({
  kind: "grant",
  account,
  amount: 5,
  month: null,
  months: 2,
  reason: "test",
  reference: null
})

/** Adjusts credits like a request of the admin API with an idempotency key. Returns the ids of the adjustments. */
const adjustOnce = (actor: string, key: string, request: AdjustmentRequest) =>
  Effect.gen(function*() {
    const store = yield* AdminStore
    const adjustCredits = makeAdjustCredits(yield* Ledger, store)
    return yield* store.once(
      { actor, key, fingerprint: "f" },
      Effect.map(adjustCredits(request), ({ adjustments }) => JSON.stringify(adjustments.map(({ id }) => id)))
    )
  })

/** Returns the ids of the adjustments in the ledger, the ids in the events, and the stored responses. */
const readStored = (account: number, key: string) =>
  Effect.gen(function*() {
    const sql = yield* PgClient.PgClient
    const adjustments = yield* (yield* LedgerStore).adjustments(account, { after: 0, limit: 100 }, null)
    const events = yield* (yield* AdminStore).events({ account, types: ["credits.adjusted"], after: 0, limit: 100 })
    const responses = yield* sql<{ response: string | null }>`select response from admin_requests where key = ${key}`
    return {
      adjustments: adjustments.map(({ id }) => id),
      events: events.map(({ after }) => after?.["adjustments"]),
      responses: responses.map(({ response }) => response)
    }
  })

/** Opens the sessions that a test needs, because opening one can take longer than the lock timeout of a change. */
const openSessions = (sql: PgClient.PgClient) =>
  Effect.all(
    Array.from({ length: 4 }, () => sql.withTransaction(sql`select pg_sleep(0.1)`)),
    { concurrency: "unbounded", discard: true }
  )

/** The statements of an adjustment's transaction, each with a trigger at which the statement waits for a lock. */
const steps: ReadonlyArray<readonly [name: string, trigger: string]> = [
  ["claims the idempotency key", "before insert on admin_requests"],
  ["inserts the adjustments", "before insert on credit_adjustments"],
  ["records the event", "before insert on events"],
  ["stores the response", "before update on admin_requests"],
  ["commits", "after insert on events deferrable initially deferred"]
]

const layerServices = Ledger.layer.pipe(Layer.provideMerge(withStores(makeFreshPostgres())))

withLayer(layerServices, { excludeTestServices: true, timeout: 60_000 })(
  "an administrative adjustment whose session is cut",
  (it) => {
    for (const [name, trigger] of steps) {
      it.effect(`while it ${name} leaves no adjustment, event or response, and runs once when it is repeated`, () =>
        Effect.gen(function*() {
          const [sql, account] = [yield* PgClient.PgClient, yield* newAccount]
          yield* openSessions(sql)
          yield* Effect.acquireRelease(
            Effect.andThen(
              sql.unsafe(`create function pause() returns trigger language plpgsql as $$
                begin perform pg_advisory_xact_lock_shared(${account}); return new; end $$`),
              sql.unsafe(
                `create ${trigger.startsWith("after") ? "constraint " : ""}trigger pause ${trigger}
                for each row execute function pause()`
              )
            ),
            () => Effect.orDie(sql.unsafe("drop function pause cascade"))
          )
          const key = `cut ${name}`
          const adjust = adjustOnce("admin", key, makeGrant(account))
          const adjusting = yield* withLockHeld(sql, "select pg_advisory_xact_lock($1)", [account])(
            Effect.gen(function*() {
              const adjusting = yield* Effect.forkChild(Effect.flip(adjust))
              yield* waitForLockWaiters(sql, 1)
              yield* sql`select pg_terminate_backend(pid) from pg_stat_activity
                where datname = current_database() and wait_event_type = 'Lock'`
              return adjusting
            })
          )
          assert.strictEqual((yield* Fiber.join(adjusting))._tag, "StoreUnavailable")
          assert.deepStrictEqual(yield* readStored(account, key), { adjustments: [], events: [], responses: [] })
          const response = yield* adjust
          assert.strictEqual(yield* adjust, response)
          const ids = JSON.parse(response)
          assert.strictEqual(ids.length, 2)
          assert.deepStrictEqual(yield* readStored(account, key), {
            adjustments: ids,
            events: [ids],
            responses: [response]
          })
        }))
    }
  }
)

describe("two administrators on two processes", () => {
  it.live("refund a call once, and run a request with one idempotency key once", () =>
    Effect.gen(function*() {
      const { url } = yield* makeMigratedDatabase
      const makeNode = Layer.build(
        Layer.fresh(Ledger.layer.pipe(Layer.provideMerge(withStores(makeMigratedClient(url)))))
      )
      const nodes = [yield* makeNode, yield* makeNode] as const
      const onBoth = (run: (i: number) => ReturnType<typeof adjustOnce>) =>
        Effect.all(nodes.map((node, i) => Effect.result(Effect.provideContext(run(i), node))), {
          concurrency: "unbounded"
        })
      for (let round = 0; round < 10; round++) {
        const account = yield* Effect.provideContext(newAccount, nodes[0])
        const store = Context.get(nodes[0], LedgerStore)
        const [admission] = yield* store.reserve([{
          account,
          actor: { _tag: "Key", key: 1 },
          tool: "get_price",
          credits: 3,
          ttlMs: 60_000,
          idempotency: null
        }])
        assert(admission?._tag === "Admitted")
        yield* store.end([{ reservation: admission.reservation, outcome: { _tag: "Settle", response: null } }])
        const { entry, month } = admission.reservation
        const refund: AdjustmentRequest = {
          kind: "refund",
          account,
          amount: null,
          call: { month, entry },
          reason: "test",
          reference: null
        }
        const refunds = yield* onBoth((i) => adjustOnce(`admin:${i}`, `refund ${round}`, refund))
        const outcomes = refunds.map((one) => one._tag === "Success" ? "refunded" : one.failure._tag)
        assert.sameMembers(outcomes, ["refunded", "CallAlreadyRefunded"])
        const grants = yield* onBoth(() => adjustOnce("admin", `grant ${round}`, makeGrant(account)))
        assert(grants[0]?._tag === "Success" && grants[1]?._tag === "Success")
        assert.strictEqual(grants[0].success, grants[1].success)
        const stored = yield* Effect.provideContext(readStored(account, `grant ${round}`), nodes[0])
        assert.deepStrictEqual([stored.adjustments.length, stored.events.length, stored.responses.length], [3, 2, 1])
        assert.strictEqual((yield* store.balance(account, month))?.adjusted, 8)
      }
    }))
})
