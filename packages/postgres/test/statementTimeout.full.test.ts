import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { AdminStore, KeyStore, Ledger, LedgerStore } from "@tapeline/core/engine"
import { layerMigrations, layerPostgres } from "@tapeline/postgres"
import { Context, Effect, Fiber, Layer } from "effect"
import { makeCancelBlockingProxy } from "./support/cancelBlockingProxy.ts"
import { makeMigratedDatabase, waitForLockWaiters, withLockHeld, withStores } from "./support/databases.ts"

describe(
  "a blocked statement",
  () =>
    it.live(
      "is ended by the server after its timeout, and the statement behind it runs",
      () =>
        Effect.gen(function*() {
          const { url } = yield* makeMigratedDatabase
          const proxy = yield* makeCancelBlockingProxy(url)
          const node = yield* Layer.build(Ledger.layer.pipe(
            Layer.provideMerge(withStores(layerMigrations.pipe(
              Layer.provideMerge(layerPostgres({ url: proxy.url, maxConnections: 1, statementTimeoutMs: 4_000 }))
            )))
          ))
          const other = Context.get(
            yield* Layer.build(Layer.fresh(layerPostgres({ url, pooled: false }))),
            PgClient.PgClient
          )
          const [keys, ledger] = [Context.get(node, KeyStore), Context.get(node, Ledger)]
          yield* Context.get(node, LedgerStore).definePlans({ free: 10 })
          const { id: account } = yield* keys.createAccount({ name: "x", plan: "free", now: 0 })
          // The statement has no time limit of its own, so it waits until the server's statement timeout. The ledger
          // does not read the table of the admin tokens.
          const blocked = Context.get(node, AdminStore).findTokens(["0".repeat(64)], null)
          const slowReserve = ledger.reserve({
            account,
            actor: { _tag: "Key", key: 1 },
            tool: "get_price",
            credits: 1,
            ttlMs: 60_000,
            idempotency: null
          })
          yield* withLockHeld(other, "lock table admin_tokens in access exclusive mode")(Effect.gen(function*() {
            const first = yield* Effect.forkChild(Effect.flip(blocked))
            yield* waitForLockWaiters(other, 1)
            const second = yield* Effect.forkChild(slowReserve)
            const error = yield* Fiber.join(first)
            assert.strictEqual(error._tag, "StoreUnavailable")
            // The server ended the statement (query_canceled) before the client's time limit, and the session is still
            // usable.
            assert.include(String(error.cause), "57014")
            assert.strictEqual((yield* Fiber.join(second))._tag, "Admitted")
          }))
          assert.deepStrictEqual(yield* blocked, [null])
          // A late cancel request for the first statement would have ended the second statement.
          assert.strictEqual(proxy.countBlocked(), 0)
        }),
      30_000
    )
)
