import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { KeyStore, Ledger, LedgerStore } from "@tapeline/core/engine"
import { checkReady, layerMigrations, layerPostgres, PgListener, PgStores } from "@tapeline/postgres"
import { Context, Effect, Fiber, Layer, Logger, Queue, Redacted, References } from "effect"
import { makeMigratedDatabase, waitForLockWaiters, withLockHeld, withStores } from "./support/databases.ts"

/** A node with one connection for calls, an account with locked rows, another account, and another session. */
const setUp = Effect.gen(function*() {
  const { url } = yield* makeMigratedDatabase
  const node = yield* Layer.build(Ledger.layer.pipe(
    Layer.provideMerge(PgStores),
    Layer.provideMerge(layerMigrations),
    Layer.provideMerge(layerPostgres({ url, maxConnections: 1, statementTimeoutMs: 10_000 }))
  ))
  const other = Context.get(yield* Layer.build(Layer.fresh(layerPostgres({ url, pooled: false }))), PgClient.PgClient)
  const [keys, store] = [Context.get(node, KeyStore), Context.get(node, LedgerStore)]
  yield* store.definePlans({ free: 1_000, pro: 5_000 })
  const newAccount = Effect.map(keys.createAccount({ name: "x", plan: "free", now: 0 }), ({ id }) => id)
  const [blockedAccount, neighbour] = [yield* newAccount, yield* newAccount]
  const ledger = Context.get(node, Ledger)
  const reserve = (account: number) =>
    ledger.reserve({
      account,
      actor: { _tag: "Key", key: 1 },
      tool: "get_price",
      credits: 1,
      ttlMs: 60_000,
      idempotency: null
    })
  yield* reserve(blockedAccount)
  const newKey = (account: number) =>
    keys.createKey({
      account,
      name: "k",
      prefix: "p",
      hash: crypto.randomUUID().replaceAll("-", "").repeat(2),
      scopes: [],
      expiresAt: null,
      limit: 100,
      now: 0
    })
  return { blockedAccount, keys, neighbour, newKey, node, other, reserve, store }
})

/** While a statement waits, makes calls of another account and checks that the node is ready. */
const assertNeighbourServed = Effect.fnUntraced(
  function*({ keys, neighbour, node, reserve }: Effect.Success<typeof setUp>) {
    for (let i = 0; i < 3; i++) {
      const [admission] = yield* Effect.all([reserve(neighbour), keys.findByHashes(["0".repeat(64)])], {
        concurrency: "unbounded"
      })
      assert.strictEqual(admission._tag, "Admitted")
    }
    yield* Effect.provideContext(checkReady, node)
  }
)

const awaitReceiving = ({ node }: Effect.Success<typeof setUp>) =>
  Effect.eventually(
    Effect.filterOrFail(Effect.delay(Context.get(node, PgListener).isReceiving, 10), (isReceiving) => isReceiving)
  )

/** The operations that must wait, each with the statement that locks the rows it needs. */
const lockCases = [
  ["key administration", "newKey", "select 1 from accounts where id = $1 for update"],
  ["a plan change", "changePlan", "select 1 from credit_months where account = $1 for update"],
  ["an adjustment", "adjust", "select 1 from credit_months where account = $1 for update"]
] as const

const lastUse = (keys: KeyStore["Service"]) => (id: number) => Effect.map(keys.key(id), ({ lastUsedAt }) => lastUsedAt)

describe("a statement that waits for a lock", () => {
  for (const [name, operation, text] of lockCases) {
    it.live(
      `during ${name}, delays no call, readiness check or notice, and fails as unavailable`,
      () =>
        Effect.gen(function*() {
          const set = yield* setUp
          yield* Effect.andThen(awaitReceiving(set), Effect.provideContext(checkReady, set.node))
          const acts = {
            newKey: Effect.asVoid(set.newKey(set.blockedAccount)),
            changePlan: Effect.asVoid(set.store.changePlan(set.blockedAccount, "pro")),
            adjust: Effect.asVoid(set.store.adjust({
              kind: "grant",
              account: set.blockedAccount,
              amount: 1,
              month: null,
              months: 1,
              reason: "test",
              reference: null
            }))
          }
          const act: Effect.Effect<void, { readonly _tag: string }> = acts[operation]
          yield* withLockHeld(set.other, text, [set.blockedAccount])(Effect.gen(function*() {
            const waiting = yield* Effect.forkChild(Effect.flip(act))
            yield* waitForLockWaiters(set.other, 1)
            yield* assertNeighbourServed(set)
            assert.isUndefined(waiting.pollUnsafe())
            yield* awaitReceiving(set)
            assert.strictEqual((yield* Fiber.join(waiting))._tag, "StoreUnavailable")
          }))
          yield* act
        }),
      30_000
    )
  }

  it.live("leaves the last use of a locked key to the next time, and stores the others", () =>
    Effect.gen(function*() {
      const { blockedAccount, keys, neighbour, newKey, other } = yield* setUp
      const [a, b] = [yield* newKey(blockedAccount), yield* newKey(neighbour)]
      const uses = new Map([[a.id, 5], [b.id, 6], [999_999_999, 7]])
      const recordedUses = yield* withLockHeld(other, "select 1 from keys where id = $1 for update", [a.id])(
        keys.recordLastUses(uses, 10)
      )
      assert.deepStrictEqual(recordedUses, [a.id])
      const lastUses = Effect.forEach([a.id, b.id], lastUse(keys))
      assert.deepStrictEqual(yield* lastUses, [null, 4])
      assert.deepStrictEqual(yield* keys.recordLastUses(uses, 10), [])
      assert.deepStrictEqual(yield* lastUses, [5, 4])
    }))
})

describe("a wait for a lock", () => {
  it.live("is not reported as a pooler if all statements share one connection", () =>
    Effect.gen(function*() {
      const { url } = yield* makeMigratedDatabase
      const layerClient = PgClient.layer({ url: Redacted.make(url), maxConnections: 1, multiplex: true })
      const sql = Context.get(yield* Layer.build(Layer.fresh(layerClient)), PgClient.PgClient)
      const other = Context.get(yield* Layer.build(Layer.fresh(layerClient)), PgClient.PgClient)
      yield* other`create table held (n integer)`
      const logs: Array<string> = []
      const lines = yield* Queue.unbounded<void>()
      const logger = Logger.make(({ logLevel, message }) => {
        logs.push(`${logLevel} ${String(message)}`)
        if (String(message).includes("The listening connection was lost")) {
          Queue.offerUnsafe(lines, undefined)
        }
      })
      yield* withLockHeld(other, "lock table held")(Effect.gen(function*() {
        yield* Effect.forkScoped(Effect.ignore(sql`select 1 from held`))
        yield* waitForLockWaiters(Context.get(yield* Layer.build(Layer.fresh(layerClient)), PgClient.PgClient), 1)
        yield* Layer.build(PgListener.layer({ heartbeatMs: 20 })).pipe(
          Effect.provideService(PgClient.PgClient, sql),
          Effect.provide(Logger.layer([logger])),
          Effect.provideService(References.MinimumLogLevel, "Debug")
        )
        yield* Queue.takeN(lines, 4)
      }))
      assert.deepStrictEqual(
        logs.filter((log) => log.includes("pooler")),
        []
      )
    }), 30_000)
})

describe("plan definitions at a start", () => {
  it.live(
    "wait in short attempts for a lock that lasts longer than the statement timeout",
    () =>
      Effect.gen(function*() {
        const { url } = yield* makeMigratedDatabase
        const client = layerPostgres({ url, statementTimeoutMs: 500 })
        const node = yield* Layer.build(withStores(layerMigrations.pipe(Layer.provideMerge(client))))
        const [store, sql] = [Context.get(node, LedgerStore), Context.get(node, PgClient.PgClient)]
        const other = Context.get(yield* Layer.build(Layer.fresh(layerPostgres({ url }))), PgClient.PgClient)
        yield* withLockHeld(other, "lock table plans in row share mode")(Effect.gen(function*() {
          const defining = yield* Effect.forkChild(store.definePlans({ free: 7 }))
          const turns = new Set<string>()
          const threeTurns = Effect.gen(function*() {
            while (turns.size < 3) {
              ;(yield* waitForLockWaiters(sql, 1)).forEach(({ since }) => turns.add(since))
            }
          })
          yield* Effect.raceFirst(
            threeTurns,
            Effect.andThen(Fiber.join(defining), Effect.die("The definition did not wait"))
          )
          assert.isUndefined(defining.pollUnsafe())
          yield* Effect.forkScoped(Fiber.join(defining))
        }))
        while ((yield* sql`select 1 from plans where name = 'free' and monthly_credits = 7 and laid`).length === 0);
      }),
    30_000
  )
})
