import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { DatabaseBackups } from "@tapeline/core/engine"
import { layerMigrations, layerPglite, layerPgliteBackups, restoreBackup, verifyBackup } from "@tapeline/postgres"
import { Effect, Fiber, Layer, Scope, Stream } from "effect"
import * as fc from "fast-check"
import {
  createWriteStream,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import { postgresVersion } from "../src/backup/format.ts"
import { readArchive } from "../src/backup/readArchive.ts"
import { archiveEnd, encodeHeader, paddingOf } from "../src/backup/tar.ts"
import { lockDataDir } from "../src/dataDirLock.ts"
import { readPgliteDump } from "./support/databases.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "tapeline-backup-"))),
  (dir) => Effect.sync(() => rmSync(dir, { recursive: true, force: true }))
)

const open = (dataDir: string) =>
  layerPgliteBackups.pipe(
    Layer.provideMerge(layerMigrations),
    Layer.provideMerge(layerPglite({ dataDir, load: readPgliteDump() }))
  )

const withDatabase = <A, E>(
  dataDir: string,
  use: Effect.Effect<A, E, PgClient.PgClient | DatabaseBackups | Scope.Scope>
) => Effect.scoped(Effect.provide(use, open(dataDir), { local: true }))

/** Writes a backup to a file. */
const backUpTo = (file: string) =>
  Effect.scoped(Effect.gen(function*() {
    const bytes = yield* (yield* DatabaseBackups).start
    const output = createWriteStream(file)
    yield* Stream.runForEach(bytes, (chunk) => Effect.sync(() => void output.write(chunk)))
    yield* Effect.promise(() => new Promise<void>((resolve) => output.end(resolve)))
  }))

const createTables = Effect.gen(function*() {
  const sql = yield* PgClient.PgClient
  yield* sql.unsafe("create table left_side (n integer primary key, text text)").unprepared
  yield* sql.unsafe("create table right_side (n integer primary key)").unprepared
  yield* sql.unsafe("create unlogged table volatile (n integer)").unprepared
  yield* sql.unsafe("insert into volatile values (1)").unprepared
  yield* sql.unsafe("insert into left_side select -n, repeat('x', 500) from generate_series(1, 20000) n").unprepared
})

/** Inserts pairs of rows and changes old rows until it is interrupted. Returns the number of committed pairs. */
const makeWriter = Effect.gen(function*() {
  const sql = yield* PgClient.PgClient
  let committed = 0
  const write = Effect.suspend(() => {
    const n = committed + 1
    return sql.withTransaction(Effect.all([
      sql`insert into left_side values (${n}, repeat('y', 2000))`,
      sql`update left_side set text = reverse(text) || 'z' where n = ${-1 - n * 37 % 20_000}`,
      sql`insert into right_side values (${n})`
    ])).pipe(Effect.andThen(Effect.sync(() => void (committed = n))))
  })
  return { committed: () => committed, run: Effect.forever(write) }
})

const readRestored = Effect.gen(function*() {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<{ pairs: number; highest: number; orphans: number; old: number; volatile: number }>`
    select (select count(*)::integer from right_side) as pairs,
      (select coalesce(max(n), 0) from right_side) as highest,
      (select count(*)::integer from left_side l full join right_side r using (n)
        where n > 0 and (l.n is null or r.n is null)) as orphans,
      (select count(*)::integer from left_side where n < 0 and text ~ '^[xz]+$') as old,
      (select count(*)::integer from volatile) as volatile`
  yield* sql.unsafe("insert into right_side values (1000000)").unprepared
  return row!
})

describe("A backup of the embedded database", () => {
  it.live("contains everything that was committed before its end, while writes continue", () =>
    Effect.gen(function*() {
      const dir = yield* folder
      const file = join(dir, "backup.tar.gz")
      const counts = yield* withDatabase(
        join(dir, "db"),
        Effect.gen(function*() {
          yield* createTables
          const writer = yield* makeWriter
          const fiber = yield* Effect.forkChild(writer.run)
          yield* Effect.eventually(
            Effect.suspend(() => writer.committed() > 20 ? Effect.void : Effect.fail("few").pipe(Effect.delay(5)))
          )
          const before = writer.committed()
          yield* backUpTo(file)
          const after = writer.committed()
          yield* Fiber.interrupt(fiber)
          return { before, after }
        })
      )
      const target = join(dir, "new", "db")
      const restored = yield* restoreBackup(file, target)
      assert.isAbove(restored.files, 100)
      assert.strictEqual(statSync(target).mode & 0o777, 0o700)
      assert.deepStrictEqual(readdirSync(join(dir, "new")), ["db"])
      const row = yield* withDatabase(target, readRestored)
      assert.deepInclude(row, { orphans: 0, old: 20_000, volatile: 0, highest: row.pairs })
      assert.isAbove(row.pairs, counts.before)
      assert.isAtMost(row.pairs, counts.after + 1)
      const again = yield* Effect.flip(restoreBackup(file, target))
      assert.match(again.message, /already has a database/)
    }), 60_000)
})
