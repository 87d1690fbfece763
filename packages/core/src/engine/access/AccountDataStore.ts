import { Context, type Effect, type Schema } from "effect"
import type { StoreUnavailable } from "../store/errors.ts"

/** The reader of an export: the operator, or the account's user, from whom the operator's own data is hidden. */
export type ExportReader = "operator" | "owner"

/** A row of an account in an export, by the names of its columns. Times are in ISO 8601, and bytes in base64. */
export type ExportedRow = Readonly<Record<string, Schema.Json>>

/** A page of the rows of one kind. `next` is the position of the next page; null on the last page. */
export interface ExportPage {
  readonly rows: ReadonlyArray<ExportedRow>
  readonly next: string | null
}

/** What an erasure did with the rows of one kind, and why rows were kept; null if none was kept. */
export interface ErasedKind {
  readonly kind: string
  readonly deleted: number
  /** The number of kept rows from which personal data was removed. */
  readonly redacted: number
  /** The number of kept rows, including redacted ones; 0 until the erasure has finished. */
  readonly kept: number
  readonly reason: string | null
}

/** The report of an erasure. Times are in epoch ms by the store's clock. */
export interface ErasureReport {
  readonly account: number
  readonly requestedAt: number
  /** The actor of the request, as in events. */
  readonly requestedBy: string
  /** The time at which the last personal data was erased; null while the erasure runs. */
  readonly finishedAt: number | null
  /** The time at which the last backup with the erased data is deleted; null while the erasure runs. */
  readonly leavesBackupsAt: number | null
  readonly kinds: ReadonlyArray<ErasedKind>
}

export interface ErasureOptions {
  /**
   * The minimum time in ms from the request of an erasure to its first deletion. Requests that were already admitted
   * can end during this time.
   */
  readonly settleMs: number
  /** The maximum number of rows that one step erases. */
  readonly maxRows: number
  /** The number of days until the operator deletes a backup. */
  readonly backupDays: number
}

/**
 * A step of an erasure.
 *
 * - `Waiting`: answers still run, or calls hold a reservation, or the request is too recent.
 * - `Erased`: rows were erased.
 * - `Finished`: nothing was left to erase. `report` is the report of an erasure that this step finished; null if the
 *   step only checked an erasure that had already finished.
 */
export type ErasureStep =
  | { readonly _tag: "Waiting"; readonly account: number }
  | { readonly _tag: "Erased"; readonly account: number; readonly rows: number }
  | { readonly _tag: "Finished"; readonly account: number; readonly report: ErasureReport | null }

/**
 * Exports and erases the rows of an account. An adapter knows every table with rows of accounts, and shares its
 * database with the other stores.
 */
export class AccountDataStore extends Context.Service<AccountDataStore, {
  /** The kinds of exported rows, in the order of an export. */
  readonly exportKinds: ReadonlyArray<string>
  /**
   * Returns a page of an account's rows of a kind, in the order of their keys. A page is one statement, so an export
   * holds no transaction. Rows that change between two pages are exported before or after their change.
   */
  readonly exportPage: (request: {
    readonly account: number
    readonly kind: string
    readonly reader: ExportReader
    /** The `next` of the previous page; null for the first page. */
    readonly after: string | null
  }) => Effect.Effect<ExportPage, StoreUnavailable>
  /**
   * Requests the erasure of an account, or a further check of an erasure that was already requested. The caller must
   * close the account in the same transaction.
   */
  readonly requestErasure: (account: number, requestedBy: string) => Effect.Effect<void, StoreUnavailable>
  /** Returns the report of an erasure; null if none was requested. */
  readonly erasure: (account: number) => Effect.Effect<ErasureReport | null, StoreUnavailable>
  /** Returns whether an erasure has a due step. Without erasures, the check is one read outside a transaction. */
  readonly hasDueErasure: Effect.Effect<boolean, StoreUnavailable>
  /**
   * Runs the next step of an erasure that is due, within the caller's transaction. Returns null if no erasure has a due
   * step. Skips erasures that another process is continuing. The rows that a step erases, and their numbers in the
   * report, are committed together, so an erasure continues after a crash. For a day after the end, the erasure is
   * checked every ten minutes; data that was written meanwhile restarts the erasure.
   */
  readonly continueErasure: (options: ErasureOptions) => Effect.Effect<ErasureStep | null, StoreUnavailable>
}>()("@tapeline/core/access/AccountDataStore") {}
