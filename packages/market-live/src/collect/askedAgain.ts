/** What others told in the place of the venue that is asked first is asked of that one again, once it is back. */
import { minuteMs, type SourceUnavailable } from "@tapeline/core/market"
import type { Point, PointRow } from "@tapeline/core/market/store"
import { Effect } from "effect"
import type { Backfill, SeriesCollector, Subject } from "./collector.ts"

/** What is newer may be told by the first one yet, with the series itself. */
const delayMs = 15 * minuteMs
/** It comes after the series itself, so that it asks for nothing that this one tells. */
const afterMs = 5_000

interface Named {
  readonly name: string
}

/** Of a series that others tell where its first venue does not, that this one's own part is known. */
export const askedFirst = (
  { venues: [first, ...others] }: { readonly venues: readonly [Named, ...ReadonlyArray<Named>] }
): Pick<SeriesCollector, "first"> => others.length === 0 ? {} : { first: { venue: first.name, isAskedAgain: false } }

/**
 * A collector of what was told of a series in the place of its first venue, as far as that one tells it.
 *
 * @param listed what the first venue has; while it does not tell that, it is asked for all.
 */
export const askedAgain = <Column extends string>(
  { backfill, everyMs, kind, name, offsetMs, rowsAre, source, subjects }: SeriesCollector<Column>,
  { ask, listed, venue }: {
    readonly venue: string
    readonly listed: Effect.Effect<ReadonlyArray<Subject>, SourceUnavailable>
    readonly ask: Backfill<Column>["ask"]
  }
): SeriesCollector<Column> => ({
  _tag: "series",
  source,
  name: `${name}Again`,
  kind,
  everyMs,
  offsetMs: offsetMs + afterMs,
  rowsAre,
  subjects: Effect.catch(listed, () => subjects),
  first: { venue, isAskedAgain: true },
  ...(backfill === undefined
    ? {}
    : { backfill: { ...backfill, delayMs: Math.max(delayMs, backfill.delayMs ?? 0), ask } })
})

/** The subject under which stands what a venue told itself of one, beside what anybody told of it. */
export const toldByVenue = (venue: string, subject: string): string => `${venue}:${subject}`

const namesOf = (source: string): ReadonlyArray<string> => source.split("+")

/**
 * What the first venue told, laid over what stands there, in writes of one source each. What it told itself before
 * stays; a column that it does not tell now stays whoever told it, and then the row names both. Rows that do not
 * change are left out.
 */
export const laidOver = <Column extends string>(
  columns: ReadonlyArray<Column>,
  stored: ReadonlyArray<Point<Column>>,
  told: { readonly source: string; readonly rows: ReadonlyArray<PointRow<Column>> }
): ReadonlyArray<{ readonly source: string; readonly rows: ReadonlyArray<PointRow<Column>> }> => {
  const byTime = new Map(stored.map((point) => [point.time, point]))
  const bySource = new Map<string, Array<PointRow<Column>>>()
  for (const row of told.rows) {
    const old = byTime.get(row.time)
    const isOwn = old !== undefined && namesOf(old.source).includes(told.source)
    const [upper, lower] = isOwn ? [old, row] : [row, old]
    const valueOf = (column: Column) => upper[column] ?? lower?.[column] ?? null
    if (old !== undefined && columns.every((column) => valueOf(column) === old[column])) continue
    const isMixed = old !== undefined && columns.some((column) => row[column] === null && old[column] !== null)
    const source = isMixed ? [...new Set([told.source, ...namesOf(old.source)])].join("+") : told.source
    // It has every column of the kind, and its time.
    const merged = { ...row, ...Object.fromEntries(columns.map((column) => [column, valueOf(column)])) }
    bySource.set(source, [...bySource.get(source) ?? [], merged])
  }
  return Array.from(bySource, ([source, rows]) => ({ source, rows }))
}
