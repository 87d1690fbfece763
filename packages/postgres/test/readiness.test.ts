import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { checkReady, layerMigrations, layerPglite, layerPostgres } from "@tapeline/postgres"
import { skipWithoutOpenssl } from "@tapeline/testing/programs"
import { Context, Effect, Layer } from "effect"
import { existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { mapSqlErrors } from "../src/errors.ts"
import { readPgliteDump } from "./support/databases.ts"
import { startTlsServer } from "./support/faultyServers.ts"

it.live(
  "reports an embedded database as not ready until its disk has room, without a restart",
  () =>
    Effect.gen(function*() {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "room-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
      )
      const dataDir = join(folder, "db")
      const node = yield* Layer.build(
        Layer.provideMerge(layerMigrations, layerPglite({ dataDir, load: readPgliteDump() }))
      )
      const ready = Effect.provideContext(checkReady, node)
      yield* ready
      yield* ready
      // A folder at the path of the test file makes the check of free space fail, as a full disk does.
      mkdirSync(`${dataDir}.room`)
      yield* ready
      const sql = Context.get(node, PgClient.PgClient)
      yield* Effect.flip(mapSqlErrors("test")(sql`do $$ begin raise exception using errcode = '53100'; end $$`))
      assert.include((yield* Effect.flip(ready)).message, "cannot write, because its disk is full")
      assert.include(
        (yield* Effect.flip(ready)).message,
        "cannot write, because its disk is full",
        "while there is no room"
      )
      rmdirSync(`${dataDir}.room`)
      yield* ready
      assert.isFalse(existsSync(`${dataDir}.room`))
    }),
  60_000
)

describe("readiness", skipWithoutOpenssl(), () => {
  it.live(
    "reports a frozen database before the statement timeout",
    () =>
      Effect.gen(function*() {
        const { freeze, server, unfreeze } = yield* startTlsServer
        const node = yield* Layer.build(
          layerPostgres({ url: `${server.url}?sslmode=require`, statementTimeoutMs: 6_000 })
        )
        const readCause = Effect.map(Effect.flip(Effect.provideContext(checkReady, node)), ({ cause }) => String(cause))
        assert.include(yield* readCause, "Migrations are missing")
        freeze()
        const from = performance.now()
        for (let i = 0; i < 2; i++) assert.include(yield* readCause, "did not respond in time")
        // If each check waited for the statement timeout, the two checks would take 12 s. The limit of 10 s leaves time
        // for a busy machine.
        assert.isBelow(performance.now() - from, 10_000)
        unfreeze()
        yield* Effect.eventually(Effect.filterOrFail(readCause, (text) => text.includes("Migrations are missing")))
      }),
    60_000
  )
})
