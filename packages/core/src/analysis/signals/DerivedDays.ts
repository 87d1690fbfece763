import { Context, Effect, Schema } from "effect"

/** The store of derived days failed to respond, or took too long. Callers of `DerivedStore` never see this error. */
export class DerivedDaysUnavailable extends Schema.TaggedError<DerivedDaysUnavailable>()("DerivedDaysUnavailable", {
  /** One sentence for a log. Contains no secrets. */
  reason: Schema.String
}) {
  override get message(): string {
    return `derived days are unavailable: ${this.reason}`
  }
}

/** The key of stored days. Each field has at most 64 printable ASCII characters and is case-sensitive. */
export interface DaySeries {
  /** A rule and its version, such as `score/2`. */
  readonly rule: string
  /** A coin, or `market`. */
  readonly series: string
  /** Identifies the data from which the values were computed. */
  readonly revision: string
}

/** The derived values of a UTC day, up to a time of that day. */
export interface StoredDay {
  /** 00:00 UTC, epoch ms. May be before 1970. */
  readonly day: number
  /** The end of the values, epoch ms: after `day` and at most a day later. */
  readonly until: number
  /** The encoded values, at most 64 KiB. Only core knows the format. */
  readonly bytes: Uint8Array
}

/**
 * Stores derived values by UTC day, so that several processes compute each value only once. A process computes the days
 * that it does not find. The loss of all stored days costs only time, and no result depends on them.
 *
 * - Each day of a rule and series has one revision. Another revision replaces it, because the old one is not requested
 *   again. Within a revision the day with the later `until` stays, whatever the order of the writes. If `until` is
 *   equal, the later write stays, which can repair unreadable bytes.
 * - `get` returns exactly the bytes that were put under the same rule, series and revision. A store may drop any day at
 *   any time.
 * - `put` stores all of its days or fails. Concurrent writes of the same day do no harm.
 * - Values are a function of rule, series, revision and day, so a stored day need not be computed again. Only the code
 *   that computes the values may put them.
 * - Callers wait a fraction of a second for `get`, or about a second for months of days. They write in the background.
 *   After a failure they do not use the store for some seconds.
 */
export interface DerivedDaysService {
  /** Returns the stored days of a series in `[from, to)`, oldest first. */
  readonly get: (
    query: DaySeries & { readonly from: number; readonly to: number }
  ) => Effect.Effect<ReadonlyArray<StoredDay>, DerivedDaysUnavailable>

  /** Stores days of a series. Each `day` occurs once. */
  readonly put: (
    query: DaySeries & { readonly days: ReadonlyArray<StoredDay> }
  ) => Effect.Effect<void, DerivedDaysUnavailable>
}

/** A store that keeps nothing. */
export const emptyDerivedDays: DerivedDaysService = { get: () => Effect.succeed([]), put: () => Effect.void }

/** By default nothing is stored: a process remembers what it computed and does not share it. */
export const DerivedDays = Context.Reference<DerivedDaysService>("@tapeline/core/signals/DerivedDays", {
  defaultValue: () => emptyDerivedDays
})
