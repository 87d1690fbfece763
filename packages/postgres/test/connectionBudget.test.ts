import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { layerPostgres, PgListener } from "@tapeline/postgres"
import { Context, Effect, Fiber, Layer, Stream } from "effect"
import { readFileSync } from "node:fs"
import { BackgroundSessions, DirectSessions } from "../src/connection/sessions.ts"
import { makeMigratedDatabase, withLockHeld } from "./support/databases.ts"

/** More transactions than any pool has connections. */
const transactions = 30

/** The numbers of connections in `docs/postgresql.md`, by use. */
const readDocumentedConnections = (): Readonly<Record<string, number>> => {
  const page = readFileSync(new URL("../../../docs/postgresql.md", import.meta.url), "utf8")
  const [, section] = page.split("\n## Connections\n")
  return Object.fromEntries(
    [...section!.split("\n## ")[0]!.matchAll(/^\| (\w+)[^|]*\| (\d+) \|/gm)].map((
      [, use, count]
    ) => [use!, Number(count)])
  )
}

describe("the connections of a process", () => {
  it.live("are at most as many of each kind as the documentation states", () =>
    Effect.gen(function*() {
      const { url } = yield* makeMigratedDatabase
      const services = yield* Layer.build(
        Layer.provideMerge(PgListener.layer(), layerPostgres({ url, applicationName: "counted" }))
      )
      const background = Context.get(services, BackgroundSessions)!
      const clients = {
        calls: Context.get(services, PgClient.PgClient),
        background: background.client,
        health: background.healthClient,
        startup: Context.get(services, DirectSessions)!.client
      }
      yield* Effect.forkScoped(Stream.runDrain(Context.get(services, PgListener).listen("some_channel")))
      const observer = Context.get(yield* Layer.build(layerPostgres({ url, maxConnections: 2 })), PgClient.PgClient)
      const readSessions = observer<{ readonly pid: number; readonly waits: boolean }>`
        select pid, wait_event_type = 'Lock' as waits from pg_stat_activity
        where datname = current_database() and application_name = 'counted'`

      const documented = readDocumentedConnections()
      const expected = Object.keys(clients).map((use) => documented[use])
      const total = expected.reduce<number>((sum, count) => sum + count!, documented["listening"]!)
      const pids = yield* withLockHeld(observer, "select pg_advisory_xact_lock(1)")(Effect.gen(function*() {
        // Each transaction holds a connection until the lock is released, so every pool opens all its connections.
        const running = yield* Effect.forEach(Object.values(clients), (sql) =>
          Effect.forkScoped(Effect.all(
            Array.from({ length: transactions }, () =>
              sql.withTransaction(Effect.andThen(
                sql`select pg_advisory_xact_lock_shared(1)`,
                Effect.map(sql<{ readonly pid: number }>`select pg_backend_pid() as pid`, ([row]) => row!.pid)
              ))),
            { concurrency: "unbounded" }
          )))
        const sessions = yield* Effect.repeat(Effect.delay(readSessions, 20), {
          until: (rows) => rows.length >= total && rows.filter(({ waits }) => waits).length >= total - 1
        })
        assert.strictEqual(sessions.length, total)
        return running
      })).pipe(Effect.flatMap((running) => Effect.forEach(running, Fiber.join)))
      assert.deepStrictEqual(pids.map((all) => new Set(all).size), expected)
    }), 60_000)
})
