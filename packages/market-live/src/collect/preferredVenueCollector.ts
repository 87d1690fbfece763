/** Requests data from the preferred venue for past periods in which another venue provided the data instead. */
import { minuteMs, type SourceUnavailable } from "@tapeline/core/market"
import type { Point, PointRow } from "@tapeline/core/market/store"
import { Effect } from "effect"
import type { Backfill, SeriesCollector, Subject } from "./collector.ts"

/** The minimum age of requested data, because the series' main collector may still fetch newer data. */
const delayMs = 15 * minuteMs
/** The delay after the start of the series' main collector, so that both collectors do not request the same data. */
const extraOffsetMs = 5_000

interface NamedVenue {
  readonly name: string
}

/** Enables tracking of the preferred venue's data if a series has several venues. */
export const trackPreferredVenue = (
  { venues: [first, ...others] }: { readonly venues: readonly [NamedVenue, ...ReadonlyArray<NamedVenue>] }
): Pick<SeriesCollector, "preferredVenue"> =>
  others.length === 0 ? {} : { preferredVenue: { venue: first.name, isReplacement: false } }

/**
 * Returns a collector that replaces data of other venues by data of the preferred venue.
 *
 * @param listedSubjects the subjects of the preferred venue. If the request for the list fails, all subjects are
 * requested.
 */
export const makePreferredVenueCollector = <Column extends string>(
  { backfill, everyMs, kind, name, offsetMs, rowTimes, source, subjects }: SeriesCollector<Column>,
  { fetch, listedSubjects, venue }: {
    readonly venue: string
    readonly listedSubjects: Effect.Effect<ReadonlyArray<Subject>, SourceUnavailable>
    readonly fetch: Backfill<Column>["fetch"]
  }
): SeriesCollector<Column> => ({
  _tag: "series",
  source,
  name: `${name}Again`,
  kind,
  everyMs,
  offsetMs: offsetMs + extraOffsetMs,
  rowTimes,
  subjects: Effect.catch(listedSubjects, () => subjects),
  preferredVenue: { venue, isReplacement: true },
  ...(backfill === undefined
    ? {}
    : { backfill: { ...backfill, delayMs: Math.max(delayMs, backfill.delayMs ?? 0), fetch } })
})

/** Returns the subject under which the store records the coverage of one venue's data. */
export const venueSubject = (venue: string, subject: string): string => `${venue}:${subject}`

const sourceNamesOf = (source: string): ReadonlyArray<string> => source.split("+")

/**
 * Merges rows of the preferred venue into stored rows. Returns only rows that differ from the stored rows, grouped by
 * source. If a new row has no value in a column, the stored value is kept, and the merged row names both sources.
 */
export const mergePreferredRows = <Column extends string>(
  columns: ReadonlyArray<Column>,
  stored: ReadonlyArray<Point<Column>>,
  incoming: { readonly source: string; readonly rows: ReadonlyArray<PointRow<Column>> }
): ReadonlyArray<{ readonly source: string; readonly rows: ReadonlyArray<PointRow<Column>> }> => {
  const byTime = new Map(stored.map((point) => [point.time, point]))
  const bySource = new Map<string, Array<PointRow<Column>>>()
  for (const row of incoming.rows) {
    const old = byTime.get(row.time)
    const isStoredFromIncoming = old !== undefined && sourceNamesOf(old.source).includes(incoming.source)
    const [upper, lower] = isStoredFromIncoming ? [old, row] : [row, old]
    const valueOf = (column: Column) => upper[column] ?? lower?.[column] ?? null
    if (old !== undefined && columns.every((column) => valueOf(column) === old[column])) continue
    const isMixed = old !== undefined && columns.some((column) => row[column] === null && old[column] !== null)
    const source = isMixed ? [...new Set([incoming.source, ...sourceNamesOf(old.source)])].join("+") : incoming.source
    // The merged row has its own time and a value for every column.
    const merged = { ...row, ...Object.fromEntries(columns.map((column) => [column, valueOf(column)])) }
    bySource.set(source, [...bySource.get(source) ?? [], merged])
  }
  return Array.from(bySource, ([source, rows]) => ({ source, rows }))
}
