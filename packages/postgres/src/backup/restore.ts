import { PgClient } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { mkdirSync, renameSync, rmdirSync, rmSync } from "node:fs"
import { mkdir, open, readdir } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { layerPglite } from "../client.ts"
import { type DataDirLocked, lockDataDir } from "../dataDirLock.ts"
import { makeFolder } from "../folder.ts"
import { latestMigration } from "../migrations/index.ts"
import { type BackupDescription, type BackupSummary, postgresVersion } from "./format.ts"
import { type ArchiveTarget, readArchive, UnusableArchive } from "./readArchive.ts"

/** A backup cannot be read or restored. `reason` is a sentence for the operator. */
export class RestoreFailed extends Schema.TaggedError<RestoreFailed>()("RestoreFailed", {
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}

const codeOf = (cause: unknown): unknown => Object(cause).code

const failed = (reason: string) => new RestoreFailed({ reason })

const rejectUnknownVersions = ({ migration, postgres }: BackupDescription): void => {
  if (migration > latestMigration || postgres > postgresVersion) {
    throw new UnusableArchive("The file was written by a newer version of Tapeline. Restore it with that version.")
  }
  if (postgres < postgresVersion) {
    throw new UnusableArchive(
      `The file was written by a version of Tapeline with PostgreSQL ${postgres}. Restore it with that version.`
    )
  }
}

const toReason = (file: string, cause: unknown): string =>
  cause instanceof UnusableArchive
    ? `${file}: ${cause.message}`
    : cause instanceof Error && "syscall" in cause && "path" in cause
    ? cause.message
    : cause instanceof Error && "code" in cause && cause.code === "ENOSPC"
    ? `The backup cannot be restored: the disk is full.`
    : `${file} cannot be restored: ${String(cause)}`

/** Reads a backup completely, and fails unless this program can restore it. */
export const verifyBackup = (
  file: string,
  target?: ArchiveTarget
): Effect.Effect<BackupSummary, RestoreFailed> =>
  Effect.tryPromise({
    try: () => readArchive(file, rejectUnknownVersions, target),
    catch: (cause) => failed(toReason(file, cause))
  })

const extractInto = (folder: string): ArchiveTarget => ({
  addFolder: async (path) => {
    await mkdir(join(folder, path), { mode: 0o700 })
  },
  addFile: async (path, chunks) => {
    const file = await open(join(folder, path), "wx", 0o600)
    try {
      for await (const chunk of chunks) await file.writeFile(chunk)
    } finally {
      await file.close()
    }
  }
})

const syncPath = async (path: string): Promise<void> => {
  const file = await open(path, "r")
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Writes a folder and everything in it to the disk. */
const syncFolder = async (folder: string): Promise<void> => {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    await syncPath(join(entry.parentPath, entry.name))
  }
  await syncPath(folder)
}

/**
 * Skips a million ids of every kind. Otherwise, ids from after the moment of the backup would be given out again, and
 * systems outside of the database that stored such ids would confuse two accounts or two events.
 */
const skipIds = `select setval(format('%I.%I', schemaname, sequencename)::regclass,
  coalesce(last_value, start_value) + 1000000)::text from pg_sequences
  where schemaname = current_schema() and data_type = 'bigint'::regtype`

/** Opens the restored files, which repairs them with the write-ahead log, and counts the accounts. */
const recover = (dataDir: string): Effect.Effect<number, RestoreFailed> =>
  Effect.gen(function*() {
    const sql = yield* PgClient.PgClient
    yield* sql.unsafe(skipIds).unprepared
    const [row] = yield* sql<{ readonly accounts: number }>`select count(*)::integer as accounts from accounts`
    return row!.accounts
  }).pipe(
    Effect.provide(layerPglite({ dataDir }), { local: true }),
    Effect.mapError((error) => failed(`The restored database does not start: ${error.message}`))
  )

/** Removes an empty folder, which the restored folder replaces. Fails if it has files or cannot be removed. */
const removeEmptyFolder = (dataDir: string) =>
  Effect.try({
    try: () => rmdirSync(dataDir),
    catch: codeOf
  }).pipe(Effect.catch((code) => {
    switch (code) {
      case "ENOENT":
        return Effect.void
      case "ENOTEMPTY":
      case "EEXIST":
        return Effect.fail(
          failed(`The folder ${dataDir} already has a database. Choose another data folder, or move it away.`)
        )
      default:
        return Effect.fail(
          failed(`${dataDir} cannot be replaced (${String(code)}). It must not be a separate volume or a link.`)
        )
    }
  }))

/** A restored database: the summary of its backup, and the number of its accounts. */
export interface RestoredDatabase extends BackupSummary {
  readonly accounts: number
}

/**
 * Restores a backup to the data folder of an embedded database, which must be missing or empty. The folder contains the
 * complete database afterwards, or is missing. The lock of the folder is held meanwhile, so that no server starts.
 */
export const restoreBackup = (
  file: string,
  folder: string
): Effect.Effect<RestoredDatabase, RestoreFailed | DataDirLocked> =>
  Effect.gen(function*() {
    const dataDir = resolve(folder)
    // A file that is not a usable backup must not create folders.
    yield* verifyBackup(file)
    yield* Effect.try({
      try: () => makeFolder(dirname(dataDir)),
      catch: (cause) => failed(`The folder ${dirname(dataDir)} cannot be created: ${String(cause)}`)
    })
    const lock = yield* lockDataDir(dataDir).pipe(
      Effect.catchDefect((cause) => Effect.fail(failed(`The folder ${dataDir} cannot be locked: ${String(cause)}`)))
    )
    yield* removeEmptyFolder(dataDir)
    const draft = `${dataDir}.restore`
    const removeDraft = Effect.sync(() => rmSync(draft, { recursive: true, force: true }))
    yield* removeDraft
    return yield* Effect.gen(function*() {
      yield* Effect.try({
        try: () => mkdirSync(draft, { mode: 0o700 }),
        catch: (cause) => failed(`The folder ${draft} cannot be created: ${String(cause)}`)
      })
      const summary = yield* verifyBackup(file, extractInto(draft))
      const accounts = yield* recover(draft)
      yield* Effect.tryPromise({
        try: () => syncFolder(draft),
        catch: (cause) => failed(`The restored database cannot be written to the disk: ${String(cause)}`)
      })
      yield* Effect.try({
        try: () => {
          // A process that was frozen may have lost the folder to a server.
          lock.ensure()
          renameSync(draft, dataDir)
        },
        catch: (cause) => failed(`The restored database cannot be moved to ${dataDir}: ${String(cause)}`)
      })
      yield* Effect.promise(() => syncPath(dirname(dataDir)).catch(() => undefined))
      return { ...summary, accounts }
    }).pipe(Effect.onError(() => removeDraft))
  }).pipe(Effect.scoped)
