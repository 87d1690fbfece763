import { PgClient } from "@effect/sql-pg"
import { BackupRunning, DatabaseBackups, StoreUnavailable } from "@tapeline/core/engine"
import { Effect, Exit, Layer, Scope, Stream } from "effect"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { pipeline, Readable } from "node:stream"
import { createGzip, type Gzip } from "node:zlib"
import { toReserveBytes } from "../diskReserve.ts"
import { mapSqlErrors } from "../errors.ts"
import { EmbeddedFiles } from "./EmbeddedFiles.ts"
import { type BackupDescription, formatVersion } from "./format.ts"
import { type ArchiveSource, type StoppedBackup, writeArchive } from "./writeArchive.ts"

/** The maximum growth of the write-ahead log during a backup. A slow reader must not fill the disk. */
const maxLogGrowthBytes = 1_073_741_824
const logFileBytes = 1_048_576

const backupFailed = (trouble: string, cause: unknown = new Error(trouble)) =>
  new StoreUnavailable({ store: "database", trouble, cause })

const countLogFiles = (dataDir: string): number => readdirSync(join(dataDir, "pg_wal")).length

const logCheckIntervalMs = 100

/** Returns an effect that fails as soon as the write-ahead log has grown too much. Fails if its disk is almost full. */
const makeLogWatch = ({ dataDir, readDiskSpace }: EmbeddedFiles) =>
  Effect.suspend(() => {
    const space = readDiskSpace()
    // A checkpoint after the backup frees the log, and needs half of the space above the reserve at most.
    const room = space === undefined ? maxLogGrowthBytes : (space.free - toReserveBytes(space.size)) / 2
    if (room < 4 * logFileBytes) {
      return Effect.fail(backupFailed("cannot be backed up while its disk is almost full: free about 100 MB"))
    }
    const maxFiles = countLogFiles(dataDir) + Math.min(maxLogGrowthBytes, room) / logFileBytes
    const count = Effect.try({
      try: () => countLogFiles(dataDir),
      catch: (cause) => backupFailed("could not be backed up", cause)
    })
    const watch: Effect.Effect<never, StoreUnavailable> = Effect.flatMap(
      Effect.delay(count, logCheckIntervalMs),
      (files) =>
        files > maxFiles
          ? Effect.fail(
            backupFailed("changed too much during the backup, because the reader of the backup was too slow")
          )
          : watch
    )
    return Effect.succeed(watch)
  })

interface StopRow {
  readonly label: string
  readonly last: string
  readonly moment: string
}

const stopStatement = `select labelfile as label, pg_walfile_name(lsn) as last,
  to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as moment from pg_backup_stop(false)`

const toStoppedBackup = ({ label, last, moment }: StopRow): StoppedBackup => {
  const first = /^START WAL LOCATION: \S+ \(file ([0-9A-F]{24})\)$/mu.exec(label)?.[1]
  if (first === undefined) throw new Error("The backup label names no file of the write-ahead log")
  return { label, firstWalFile: first, lastWalFile: last, moment }
}

const describeDatabase = (sql: PgClient.PgClient) =>
  Effect.map(
    sql<Pick<BackupDescription, "postgres" | "migration" | "started_at">>`select
      current_setting('server_version_num')::integer / 10000 as postgres,
      (select max(migration_id)::integer from tapeline_migrations) as migration,
      to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as started_at`,
    ([row]): BackupDescription => ({ format: "tapeline-database", version: formatVersion, ...row! })
  )

/** Compresses an archive in Node's threads, as it is read. The reader determines the speed. */
const compress = (source: ArchiveSource): Effect.Effect<Gzip, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const gzip = createGzip({ level: 1 })
      // Failures of the source are thrown by the iterator of the stream.
      pipeline(Readable.from(writeArchive(source), { objectMode: false }), gzip, () => undefined)
      return gzip
    }),
    (gzip) => Effect.sync(() => void gzip.destroy())
  )

/** Backups of the embedded database in a folder, with PostgreSQL's own procedure for online backups. */
export const layerPgliteBackups: Layer.Layer<DatabaseBackups, never, PgClient.PgClient> = Layer.effect(
  DatabaseBackups,
  Effect.gen(function*() {
    const sql = yield* PgClient.PgClient
    const files = yield* EmbeddedFiles
    if (files === null) return yield* Effect.die(new Error("Only an embedded database in a folder has backups"))
    const mapErrors = mapSqlErrors("database")

    const takeTurn = Effect.suspend((): Effect.Effect<void, BackupRunning> => {
      if (files.isBackupRunning) return Effect.fail(new BackupRunning())
      files.isBackupRunning = true
      return Effect.void
    })

    const start = Effect.gen(function*() {
      const turn = yield* Scope.fork(yield* Effect.scope)
      const inTurn = Scope.provide(turn)
      yield* inTurn(Effect.acquireRelease(takeTurn, () => Effect.sync(() => void (files.isBackupRunning = false))))
      const watch = yield* makeLogWatch(files)
      const description = yield* mapErrors(describeDatabase(sql))
      let isStarted = false
      const stop = Effect.suspend(() => {
        isStarted = false
        return mapErrors(sql.unsafe<StopRow>(stopStatement).unprepared)
      })
      yield* inTurn(Effect.acquireRelease(
        mapErrors(sql.unsafe("select pg_backup_start('tapeline', fast => true)::text").unprepared).pipe(
          Effect.andThen(Effect.sync(() => void (isStarted = true))),
          // A start whose response was lost would prevent all later backups.
          Effect.tapError(() => Effect.ignore(stop))
        ),
        // The reader ended early.
        () => isStarted ? Effect.ignore(stop) : Effect.void
      ))
      const gzip = yield* compress({
        dataDir: files.dataDir,
        description,
        stop: () => Effect.runPromise(Effect.map(stop, ([row]) => toStoppedBackup(row!)))
      })
      // The backup ends even while its reader reads nothing, so that a checkpoint can free the log.
      yield* watch.pipe(
        Effect.catch((error) =>
          Effect.andThen(Effect.sync(() => void gzip.destroy(error)), Scope.close(turn, Exit.void))
        ),
        Effect.forkScoped
      )
      return Stream.fromAsyncIterable<Uint8Array, StoreUnavailable>(
        gzip,
        (cause) => cause instanceof StoreUnavailable ? cause : backupFailed("could not be backed up", cause)
      )
    })
    return DatabaseBackups.of({ start })
  })
)
