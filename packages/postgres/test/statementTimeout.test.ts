import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { KeyStore } from "@tapeline/core/access"
import { Ledger, LedgerStore } from "@tapeline/core/credits"
import { layerMigrations, layerPostgres } from "@tapeline/postgres"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import { freshDatabase, onPostgres, withStores } from "./support/databases.ts"

onPostgres(
  "a statement that something blocks",
  () =>
    it.live("fails as unavailable once its time is over, and what waits behind it goes on", () =>
      Effect.gen(function*() {
        const { url } = yield* freshDatabase
        const node = yield* Layer.build(Ledger.layer.pipe(
          Layer.provideMerge(withStores(layerMigrations.pipe(
            Layer.provideMerge(layerPostgres({ url, maxConnections: 1, statementTimeoutMs: 300 }))
          )))
        ))
        const blocker = Context.get(
          yield* Layer.build(Layer.fresh(layerPostgres({ url, maxConnections: 1 }))),
          PgClient.PgClient
        )
        const ledger = Context.get(node, Ledger)
        yield* Context.get(node, LedgerStore).definePlans({ free: 10 })
        const account = () =>
          Effect.map(Context.get(node, KeyStore).createAccount({ name: "x", plan: "free", now: 0 }), ({ id }) => id)
        const [blocked, other] = [yield* account(), yield* account()]
        const reserve = (id: number) =>
          ledger.reserve({
            account: id,
            actor: { _tag: "Key", key: 1 },
            tool: "get_price",
            credits: 1,
            ttlMs: 60_000,
            idempotency: null
          })
        yield* reserve(blocked)

        const locked = yield* Deferred.make<void>()
        const release = yield* Deferred.make<void>()
        const holding = yield* Effect.forkChild(blocker.withTransaction(Effect.gen(function*() {
          yield* blocker`select 1 from credit_months where account = ${blocked} for update`
          yield* Deferred.succeed(locked, undefined)
          yield* Deferred.await(release)
        })))
        yield* Deferred.await(locked)

        const first = yield* Effect.forkChild(Effect.flip(reserve(blocked)))
        const second = yield* Effect.forkChild(reserve(other))
        assert.strictEqual((yield* Fiber.join(first))._tag, "StoreUnavailable")
        yield* Effect.exit(Fiber.join(second))
        assert.strictEqual((yield* reserve(other))._tag, "Admitted")

        yield* Deferred.succeed(release, undefined)
        yield* Fiber.join(holding)
        assert.strictEqual((yield* reserve(blocked))._tag, "Admitted")
      }))
)
