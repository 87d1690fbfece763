import { Context, Effect, Schema } from "effect"

/** The store of derived days failed to respond, which callers of `DerivedStore` never notice. */
export class DerivedDaysUnavailable extends Schema.TaggedError<DerivedDaysUnavailable>()("DerivedDaysUnavailable", {
  /** One sentence for a log, without secrets. */
  reason: Schema.String
}) {
  override get message(): string {
    return `derived days are unavailable: ${this.reason}`
  }
}

/** The key of stored days, with at most 64 printable ASCII characters per field, and case-sensitive. */
export interface DaySeries {
  /** The name of a rule and its version, such as `score/2`. */
  readonly rule: string
  /** The ticker of a coin, or `market`. */
  readonly series: string
  /** Identifies the data from which the stored values were computed. */
  readonly revision: string
}

/** The derived values of a UTC day, up to a time of that day. */
export interface StoredDay {
  /** The start of the UTC day in epoch ms; negative before 1970. */
  readonly day: number
  /** The end of the stored values, in epoch ms: after `day` and at most one day later. */
  readonly until: number
  /** The encoded values, at most 64 KiB, in a format that only core knows. */
  readonly bytes: Uint8Array
}

/**
 * Stores derived values by UTC day, so that several processes compute each value only once. The loss of all stored days
 * costs only time, and no result depends on stored days.
 *
 * - A rule, series and day have one stored revision. Another revision replaces the stored revision, which is not
 *   requested again.
 * - Within a revision, the day with the later `until` stays, whatever the order of the writes. If `until` is equal, the
 *   later write stays, which can repair unreadable bytes.
 * - `get` returns exactly the bytes that were put under an equal rule, series and revision. A store may drop any day at
 *   any time.
 * - `put` stores all of its days or fails. Only the code that computes derived values may store them.
 * - Callers wait a fraction of a second for `get`, or about a second for months of days, and call `put` in the
 *   background. After a failure, callers do not use the store for some seconds.
 */
export interface DerivedDaysService {
  /** Returns the stored days of a series in `[from, to)`, oldest first. */
  readonly get: (
    query: DaySeries & { readonly from: number; readonly to: number }
  ) => Effect.Effect<ReadonlyArray<StoredDay>, DerivedDaysUnavailable>

  /** Stores days of a series, each day once. */
  readonly put: (
    query: DaySeries & { readonly days: ReadonlyArray<StoredDay> }
  ) => Effect.Effect<void, DerivedDaysUnavailable>
}

/** A store of derived days that keeps nothing. */
export const emptyDerivedDays: DerivedDaysService = { get: () => Effect.succeed([]), put: () => Effect.void }

/** The store of derived days, by default without storage, so that processes do not share computed values. */
export const DerivedDays = Context.Reference<DerivedDaysService>("@tapeline/core/signals/DerivedDays", {
  defaultValue: () => emptyDerivedDays
})
