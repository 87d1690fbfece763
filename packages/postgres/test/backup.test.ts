import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { DatabaseBackups } from "@tapeline/core/engine"
import { layerMigrations, layerPglite, layerPgliteBackups, type PgliteOptions, restoreBackup } from "@tapeline/postgres"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Effect, Fiber, Layer, type Scope, Stream } from "effect"
import { createWriteStream, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { EmbeddedFiles } from "../src/backup/EmbeddedFiles.ts"
import { postgresVersion } from "../src/backup/format.ts"
import { runMaintenance } from "../src/maintenance.ts"
import { readPgliteDump } from "./support/databases.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "tapeline-backup-"))),
  (dir) => Effect.sync(() => rmSync(dir, { recursive: true, force: true }))
)

const open = (dataDir: string, options: Pick<PgliteOptions, "readDiskSpace"> = {}) =>
  layerPgliteBackups.pipe(
    Layer.provideMerge(layerMigrations),
    Layer.provideMerge(layerPglite({ dataDir, load: readPgliteDump(), ...options }))
  )

const withDatabase = <A, E>(
  dataDir: string,
  use: Effect.Effect<A, E, PgClient.PgClient | DatabaseBackups | Scope.Scope>,
  options?: Parameters<typeof open>[1]
) => Effect.scoped(Effect.provide(use, open(dataDir, options), { local: true }))

/** Writes a backup to a file, and runs `onFirst` before the second part is read. */
const backUpTo = <E = never, R = never>(file: string, onFirst: Effect.Effect<unknown, E, R> = Effect.void) =>
  Effect.scoped(Effect.gen(function*() {
    const bytes = yield* (yield* DatabaseBackups).start
    const output = createWriteStream(file)
    let isFirst = true
    yield* Stream.runForEach(bytes, (chunk) =>
      Effect.suspend(() => {
        output.write(chunk)
        if (!isFirst) return Effect.void
        isFirst = false
        return Effect.asVoid(onFirst)
      }))
    yield* Effect.promise(() => new Promise<void>((resolve) => output.end(resolve)))
  }))

/** Writes about `megabytes` of write-ahead log. */
const writeLog = (megabytes: number) =>
  Effect.gen(function*() {
    const sql = yield* PgClient.PgClient
    yield* sql.unsafe("create table if not exists log_filler (text text)").unprepared
    for (let i = 0; i < megabytes; i++) {
      yield* sql`insert into log_filler select md5(n::text) from generate_series(1, 11000) n`
    }
  })

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
  it.live.runIf(isFullRun)(
    "contains everything that was committed before its end, while writes continue",
    () =>
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
      }),
    120_000
  )

  it.live.runIf(isFullRun)("runs one at a time, and ends with its reader", () =>
    Effect.gen(function*() {
      const dir = yield* folder
      const file = join(dir, "backup.tar.gz")
      yield* withDatabase(
        join(dir, "db"),
        Effect.gen(function*() {
          const sql = yield* PgClient.PgClient
          const [row] = yield* sql<{ version: number }>`
            select current_setting('server_version_num')::integer / 10000 as version`
          assert.strictEqual(row!.version, postgresVersion)
          const running = yield* Effect.scoped(Effect.gen(function*() {
            yield* (yield* DatabaseBackups).start
            return yield* Effect.flip(backUpTo(file))
          }))
          assert.strictEqual(running._tag, "BackupRunning")
          const stopped = yield* Effect.flip(backUpTo(file, Effect.fail("reader ended" as const)))
          assert.strictEqual(stopped, "reader ended")
          yield* backUpTo(file)
        })
      )
      yield* restoreBackup(file, join(dir, "new"))
    }), 120_000)

  it.live.runIf(isFullRun)(
    "keeps the log that a slow reader needs, and ends before the log fills the disk",
    () =>
      Effect.gen(function*() {
        const dir = yield* folder
        const file = join(dir, "backup.tar.gz")
        const mb = 1_048_576
        // Above the reserve of 64 MB, half of 24 MB may be used by the log.
        const readDiskSpace = () => ({ size: 10_000 * mb, free: 88 * mb })
        yield* withDatabase(
          join(dir, "db"),
          Effect.gen(function*() {
            const sql = yield* PgClient.PgClient
            const files = yield* EmbeddedFiles
            const maintain = runMaintenance(sql, {
              checkpointAfterMb: 0,
              isBackupRunning: () => files!.isBackupRunning
            })
            yield* backUpTo(file, Effect.andThen(writeLog(4), Effect.andThen(maintain, writeLog(4))))
            // The backup ends while its reader reads nothing.
            const awaitEnd = Effect.eventually(
              Effect.suspend(() => files!.isBackupRunning ? Effect.fail("running").pipe(Effect.delay(5)) : Effect.void)
            )
            const tooSlow = yield* Effect.flip(backUpTo(join(dir, "slow"), Effect.andThen(writeLog(40), awaitEnd)))
            assert.match(tooSlow.message, /reader of the backup was too slow/)
            yield* maintain
            // Without the rule that no checkpoint runs, the archive would lack a part of the log.
            const checkpoint = sql.unsafe("checkpoint").unprepared
            const incomplete = yield* Effect.flip(
              backUpTo(join(dir, "incomplete"), Effect.andThen(writeLog(4), Effect.andThen(checkpoint, checkpoint)))
            )
            assert.match(String(incomplete.cause), /lacks files/)
          }),
          { readDiskSpace }
        )
        yield* restoreBackup(file, join(dir, "new"))
        const full = yield* withDatabase(
          join(dir, "db"),
          Effect.flip(backUpTo(file)),
          { readDiskSpace: () => ({ size: 10_000 * mb, free: 66 * mb }) }
        )
        assert.match(full.message, /almost full/)
      }),
    120_000
  )
})
