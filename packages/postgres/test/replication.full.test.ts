import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { layerPostgres } from "@tapeline/postgres"
import { startOwnPostgres } from "@tapeline/testing/postgresServer"
import { Effect, Layer } from "effect"

describe("A commit that the synchronous standby does not confirm", () => {
  it.live("fails, although a cancel request makes the server acknowledge it", () =>
    Effect.gen(function*() {
      const { url } = yield* Effect.acquireRelease(
        Effect.promise(() => startOwnPostgres({ settings: { fsync: "off" } })),
        (server) => Effect.promise(server.stop)
      )
      // Behind a pooler, the client itself ends late statements with a cancel request.
      const services = yield* Layer.build(layerPostgres({ url, pooled: true, statementTimeoutMs: 2_000 }))
      yield* Effect.gen(function*() {
        const sql = yield* PgClient.PgClient
        yield* sql`create table notes (id integer)`
        yield* sql`alter system set synchronous_standby_names = 'absent'`
        yield* sql`select pg_reload_conf()`
        // Commits wait for the standby only when another process of the server has read the setting.
        let id = 0
        const error = yield* Effect.flip(Effect.forever(Effect.suspend(() => sql`insert into notes values (${++id})`)))
        assert.include(JSON.stringify(error), "NOT_REPLICATED")
        // The server has committed the change, so that its outcome is in doubt until the next failover.
        assert.deepStrictEqual(yield* sql`select max(id) as id from notes`, [{ id }])
      }).pipe(Effect.provide(services))
    }))
})
