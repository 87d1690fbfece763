import { Context, Effect, Schema } from "effect"

/** The store of derived days failed to answer, or took too long. Nobody who asks for what is derived sees it. */
export class DerivedDaysUnavailable extends Schema.TaggedError<DerivedDaysUnavailable>()("DerivedDaysUnavailable", {
  /** One sentence for a log, without secrets. */
  reason: Schema.String
}) {
  override get message(): string {
    return `derived days are unavailable: ${this.reason}`
  }
}

/** What a stored day is a part of. Texts of at most 64 printable ASCII characters, told apart by case. */
export interface DaySeries {
  /** A rule and its version: `score/2`. */
  readonly rule: string
  /** A coin, or `market`. */
  readonly series: string
  /** Names what the values were computed from. */
  readonly revision: string
}

/** What was derived of a UTC day, up to an instant of it. */
export interface StoredDay {
  /** 00:00 UTC, epoch ms; it may lie before 1970. */
  readonly day: number
  /** Epoch ms, after `day` and at most a day later: values after it are not there yet. */
  readonly until: number
  /** At most 64 KiB; what they say is known to core alone. */
  readonly bytes: Uint8Array
}

/**
 * Derived values by UTC day, so that several processes compute each once. A process computes what it does not find, so
 * that losing all of it loses nothing but time, and no answer depends on it.
 *
 * - A day has one revision: another one takes the place of what was there, since nobody asks for the old one again. Of
 *   one revision the day that is known for longer stays, in whatever order they come; of two as long the later one,
 *   which may mend bytes that nobody could read.
 * - What `get` gives is what was put, to the last byte, under the same rule, series and revision. It may have been
 *   forgotten: a store may drop what it likes when it likes.
 * - `put` keeps all of its days or fails. Two that put the same do no harm.
 * - Values are a function of rule, series, revision and day: who finds a day need not compute it. So only what computed
 *   them may put them.
 * - Callers wait a fraction of a second for `get`, about a second where they ask for months, and write behind their
 *   answers; a failure means that it is not asked for some seconds.
 */
export interface DerivedDaysService {
  /** The stored days of a series in `[from, to)`, oldest first. */
  readonly get: (
    query: DaySeries & { readonly from: number; readonly to: number }
  ) => Effect.Effect<ReadonlyArray<StoredDay>, DerivedDaysUnavailable>

  /** Stores days of a series, each `day` once. */
  readonly put: (
    query: DaySeries & { readonly days: ReadonlyArray<StoredDay> }
  ) => Effect.Effect<void, DerivedDaysUnavailable>
}

/** A store that keeps nothing. */
export const noDays: DerivedDaysService = { get: () => Effect.succeed([]), put: () => Effect.void }

/** Left alone, nothing is stored: a process remembers what it computed, and shares it with none. */
export const DerivedDays = Context.Reference<DerivedDaysService>("@tapeline/core/signals/DerivedDays", {
  defaultValue: () => noDays
})
