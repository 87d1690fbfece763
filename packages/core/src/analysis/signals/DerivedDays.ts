import { Context, Effect, Schema } from "effect"

/** The error of a store of derived days that failed to respond. `DerivedStore` never returns this error to callers. */
export class DerivedDaysUnavailable extends Schema.TaggedError<DerivedDaysUnavailable>()("DerivedDaysUnavailable", {
  /** The cause, as one sentence for the log. The text contains no secrets. */
  reason: Schema.String
}) {
  override get message(): string {
    return `derived days are unavailable: ${this.reason}`
  }
}

/** The key of stored days. Each field is case-sensitive and has at most 64 printable ASCII characters. */
export interface DaySeries {
  /** The name of a rule and its version, such as `score/2`. */
  readonly rule: string
  /** The ticker of a coin, or `market` for a series of the whole market. */
  readonly series: string
  /** Identifies the version of the raw data from which the stored values were computed. */
  readonly revision: string
}

/** The derived values of a UTC day from the start of the day up to `until`. */
export interface StoredDay {
  /** The start of the UTC day in epoch ms; negative before 1970. */
  readonly day: number
  /** The end of the stored values, in epoch ms. `until` is at most 24 hours after `day`. */
  readonly until: number
  /** The encoded values, at most 64 KiB. The format is private to the core package. */
  readonly bytes: Uint8Array
}

/**
 * Stores derived values by UTC day. Processes that share the store compute each value only once. Losing stored days
 * affects only speed, because no result depends on stored days.
 *
 * - The store keeps one revision for each combination of rule, series and day. A new revision replaces the stored
 *   revision.
 * - Within a revision, the store keeps the day with the latest `until`, regardless of the order of writes. If `until`
 *   is equal, the store keeps the last write, because the last write may repair unreadable bytes.
 * - `get` returns exactly the bytes that were put under an equal rule, series and revision. A store may drop any day at
 *   any time.
 * - `put` stores all of its days or fails. Only the code that computes derived values may store them.
 * - Callers wait less than a second for `get`, or about a second for months of days. Callers run `put` in the
 *   background. After a failure, a process does not use the store for some seconds.
 */
export interface DerivedDaysService {
  /** Returns the stored days of a series in `[from, to)`, oldest first. */
  readonly get: (
    query: DaySeries & { readonly from: number; readonly to: number }
  ) => Effect.Effect<ReadonlyArray<StoredDay>, DerivedDaysUnavailable>

  /** Stores several days of a series. `days` must not contain a day twice. */
  readonly put: (
    query: DaySeries & { readonly days: ReadonlyArray<StoredDay> }
  ) => Effect.Effect<void, DerivedDaysUnavailable>
}

/** A store of derived days that keeps nothing. */
export const emptyDerivedDays: DerivedDaysService = { get: () => Effect.succeed([]), put: () => Effect.void }

/** The store of derived days. By default, nothing is stored, so each process computes all values itself. */
export const DerivedDays = Context.Reference<DerivedDaysService>("@tapeline/core/signals/DerivedDays", {
  defaultValue: () => emptyDerivedDays
})
