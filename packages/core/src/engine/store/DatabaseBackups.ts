import { Context, Effect, Schema, type Scope, type Stream } from "effect"
import { AdminStore } from "../access/AdminStore.ts"
import { formatMessage } from "../messages/language.ts"
import type { StoreUnavailable } from "./errors.ts"

/** The error of a backup that was requested while another backup of the same database runs. */
export class BackupRunning extends Schema.TaggedError<BackupRunning>()("BackupRunning", {}) {
  override get message(): string {
    return formatMessage({ key: "backup_running" }, "en")
  }
}

/** Backups of a database that only the current process can use. PostgreSQL servers have tools of their own instead. */
export class DatabaseBackups extends Context.Service<DatabaseBackups, {
  /**
   * Starts a backup, and returns the bytes of the archive. Statements continue during the backup. The backup contains
   * exactly the transactions that were committed when the last data file had been read. An archive without its last
   * entry is incomplete. The backup ends with the scope.
   */
  readonly start: Effect.Effect<
    Stream.Stream<Uint8Array, StoreUnavailable>,
    BackupRunning | StoreUnavailable,
    Scope.Scope
  >
}>()("@tapeline/core/store/DatabaseBackups") {}

/** Starts a backup and records an event, because a backup takes the data of all accounts out of the service. */
export const startBackup = Effect.gen(function*() {
  const [backups, adminStore] = yield* Effect.all([DatabaseBackups, AdminStore])
  const bytes = yield* backups.start
  yield* adminStore.transact(
    adminStore.record([{ type: "database.backup_started", account: null, target: null, before: null, after: null }])
  )
  return bytes
})
