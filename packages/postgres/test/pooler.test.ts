import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { KeyStore, Ledger, LedgerStore } from "@tapeline/core/engine"
import { describeFailure, layerMigrations, layerPostgres, PgListener, PgStores } from "@tapeline/postgres"
import { Context, Effect, Layer, Option, Queue, Stream } from "effect"
import { makeFreshDatabase } from "./support/databases.ts"
import { needsPgBouncer, startPgBouncer } from "./support/pgbouncer.ts"

const node = (options: { readonly url: string; readonly directUrl?: string }) =>
  Layer.build(Layer.fresh(Ledger.layer.pipe(
    Layer.provideMerge(PgStores),
    Layer.provideMerge(layerMigrations),
    Layer.provideMerge(layerPostgres({ ...options, statementTimeoutMs: 5_000 }))
  )))

type Node = Effect.Success<ReturnType<typeof node>>

const exercise = Effect.fnUntraced(function*(nodes: readonly [Node, Node]) {
  const [nodeA, nodeB] = nodes
  yield* Context.get(nodeA, LedgerStore).definePlans({ free: 150 })
  const { id } = yield* Context.get(nodeA, KeyStore).createAccount({ name: "x", plan: "free", now: 0 })
  const answers = yield* Effect.forEach(Array.from({ length: 200 }, (_, i) => i), (i) =>
    Effect.gen(function*() {
      const ledger = Context.get(nodes[i % 2]!, Ledger)
      const ask = {
        account: id,
        actor: { _tag: "Key" as const, key: 1 },
        tool: "get_price",
        credits: 1,
        ttlMs: 60_000,
        idempotency: null
      }
      const admission = yield* ledger.reserve(ask)
      if (admission._tag === "Admitted") yield* ledger.settle(admission.reservation, null)
      return admission._tag
    }), { concurrency: "unbounded" })
  assert.strictEqual(answers.filter((tag) => tag === "Admitted").length, 150)
  const sql = Context.get(nodeB, PgClient.PgClient)
  yield* sql.withTransaction(Effect.andThen(sql`update accounts set name = 'y'`, sql`select 1`))
  assert.strictEqual((yield* Context.get(nodeB, KeyStore).account(id)).name, "y")
  assert.strictEqual((yield* Context.get(nodeB, Ledger).balance(id))?.used, 150)
  return id
})

const revokes = Effect.fnUntraced(function*([nodeA, nodeB]: readonly [Node, Node], account: number) {
  const hash = "0".repeat(64)
  const key = { account, name: "k", prefix: "p", hash, scopes: [], expiresAt: null, limit: 1, now: 0 }
  const { id } = yield* Context.get(nodeA, KeyStore).createKey(key)
  const keys = Context.get(nodeB, KeyStore)
  yield* Effect.eventually(Effect.filterOrFail(Effect.delay(keys.isReceivingChanges, 10), (isReceiving) => isReceiving))
  const notices = yield* Queue.unbounded<number>()
  const subscribed = yield* Queue.unbounded<void>()
  yield* Effect.forkScoped(
    Stream.runForEach(
      keys.changes,
      (change) => change._tag === "Account" ? Queue.offer(notices, change.account) : Queue.offer(subscribed, undefined)
    )
  )
  yield* Queue.take(subscribed)
  yield* Context.get(nodeA, KeyStore).revokeKey(id, 1)
  assert.strictEqual(yield* Queue.take(notices), account)
})

describe("behind PgBouncer", needsPgBouncer, () => {
  it.live("in session mode, two nodes work and receive each other's changes", () =>
    Effect.gen(function*() {
      const url = yield* startPgBouncer((yield* makeFreshDatabase).url, "session")
      const nodes = [yield* node({ url }), yield* node({ url })] as const
      yield* revokes(nodes, yield* exercise(nodes))
    }), 30_000)

  it.live(
    "in transaction mode with a direct address, two nodes work and receive each other's changes",
    () =>
      Effect.gen(function*() {
        const { url: directUrl } = yield* makeFreshDatabase
        const url = yield* startPgBouncer(directUrl, "transaction")
        const nodes = [yield* node({ url, directUrl }), yield* node({ url, directUrl })] as const
        yield* revokes(nodes, yield* exercise(nodes))
      }),
    30_000
  )

  it.live(
    "in transaction mode without a direct address, two nodes work and report missing notices",
    () =>
      Effect.gen(function*() {
        const url = yield* startPgBouncer((yield* makeFreshDatabase).url, "transaction")
        const nodes = [yield* node({ url }), yield* node({ url })] as const
        yield* exercise(nodes)
        const listener = PgListener.layer({ heartbeatMs: 50 }).pipe(Layer.provide(Layer.succeedContext(nodes[0])))
        const { isReceiving, listen } = Context.get(yield* Layer.build(listener), PgListener)
        // Only waiting shows that an event does not occur.
        const first = yield* Effect.timeoutOption(Stream.runHead(listen("tapeline_access")), 600)
        assert.isTrue(Option.isNone(first))
        for (
          const receivesNotices of [
            isReceiving,
            ...nodes.map((one) => Context.get(one, KeyStore).isReceivingChanges)
          ]
        ) {
          assert.isFalse(yield* receivesNotices)
        }
      }),
    30_000
  )

  it.live("reports a wrong password and a rejected startup parameter", () =>
    Effect.gen(function*() {
      const url = new URL(yield* startPgBouncer((yield* makeFreshDatabase).url, "transaction"))
      const readErrorMessage = (url: string) =>
        Effect.map(
          Effect.flip(
            Effect.flatMap(PgClient.PgClient, (sql) => sql`select 1`).pipe(Effect.provide(layerPostgres({ url })))
          ),
          describeFailure
        )
      const invalidUrl = new URL(url)
      invalidUrl.search = "options=-c%20statement_timeout%3D1"
      assert.include(yield* readErrorMessage(invalidUrl.href), "a pooler rejected a startup parameter")
      url.password = "wrong"
      assert.include(yield* readErrorMessage(url.href), "the password is wrong")
    }), 30_000)
})
