import type { Interval } from "@tapeline/core/market"
import {
  bytesOf,
  checkQuery,
  type DocumentRow,
  type DocumentsQuery,
  type EventsQuery,
  type EventsRead,
  type Fold,
  type FoldedPoint,
  type FoldedQuery,
  type FoldedRead,
  type LatestQuery,
  type LatestRead,
  marketBounds,
  type MarketEvent,
  type MarketStoreRefusal,
  type Point,
  type PointsQuery,
  type PointsRead,
  type TalliesQuery,
  type TalliesRead,
  type Tally,
  tooMuch
} from "@tapeline/core/market/store"
import { Effect } from "effect"
import {
  type AnyEvent,
  type AnyPoint,
  between,
  gapsOf,
  type KindTables,
  kindTables,
  type MarketTables,
  namesOf,
  readOf,
  recordOf,
  subjectsOf
} from "./marketTables.ts"

type Told<A> = Effect.Effect<A, MarketStoreRefusal>

const pointsOf = ({ points }: KindTables, subject: string): ReadonlyArray<AnyPoint> => [
  ...points.get(subject)?.values() ?? []
]

// Rows have the columns of their kind.
const asPoint = <Column extends string>(row: AnyPoint) => row as Point<Column>

const bounded = (kind: string, what: string, count: number): Told<void> =>
  count > marketBounds.rowsRead ? Effect.fail(tooMuch(kind, `${what} beyond ${marketBounds.rowsRead}`)) : Effect.void

const boundedBytes = (kind: string, documents: ReadonlyArray<string | null>): Told<void> =>
  documents.reduce((sum, document) => sum + (document === null ? 0 : bytesOf(document)), 0) > marketBounds.bytesAtOnce
    ? Effect.fail(tooMuch(kind, `documents of more than ${marketBounds.bytesAtOnce} bytes`))
    : Effect.void

export const readPoints = Effect.fnUntraced(function*<Column extends string>(
  tables: MarketTables,
  { everyMs, from, kind, last, subjects, to }: PointsQuery<Column>
): Effect.fn.Return<ReadonlyMap<string, PointsRead<Column>>, MarketStoreRefusal> {
  yield* checkQuery(kind.name, { from, to, everyMs, last }, 0)
  const own = kindTables(tables, kind.name)
  const found = new Map(
    subjectsOf(own, subjects).map((subject) => {
      const rows = between(pointsOf(own, subject), { from, to }).filter(({ time }) =>
        everyMs === undefined || time % everyMs === 0
      )
      const points = (last === undefined ? rows : rows.slice(-last)).map((row) => asPoint<Column>({ ...row }))
      return [subject, { ...readOf(own, subject, { from, to }), points }]
    })
  )
  yield* bounded(kind.name, "points", [...found.values()].reduce((sum, { points }) => sum + points.length, 0))
  return found
})

const folds: Readonly<Record<Fold, (one: number, next: number) => number>> = {
  first: (one) => one,
  last: (_, next) => next,
  max: Math.max,
  min: Math.min,
  sum: (one, next) => one + next
}

/**
 * Folds a column over rows. `first` and `last` return that value, which may be null. The other rules return null if any
 * value is null.
 */
const fold = (rule: Fold, values: ReadonlyArray<number | null>): number | null => {
  if (rule === "first") return values[0] ?? null
  if (rule === "last") return values.at(-1) ?? null
  const known = values.flatMap((value) => value ?? [])
  return known.length < values.length ? null : known.reduce((one, next) => folds[rule](one, next))
}

const foldRows = <Column extends string>(
  columns: Readonly<Record<Column, Fold>>,
  time: number,
  rows: ReadonlyArray<AnyPoint>
): FoldedPoint<Column> => {
  const values = Object.entries<Fold>(columns).map(([column, rule]) => [
    column,
    // Columns are numbers or null.
    fold(rule, rows.map((row) => row[column] as number | null))
  ])
  const ends = { time, parts: rows.length, firstAt: rows[0]!.time, lastAt: rows.at(-1)!.time }
  return { ...Object.fromEntries(values), ...ends }
}

export const readFolded = Effect.fnUntraced(function*<Column extends string>(
  tables: MarketTables,
  { from, kind, stepMs, subjects, to }: FoldedQuery<Column>
): Effect.fn.Return<ReadonlyMap<string, FoldedRead<Column>>, MarketStoreRefusal> {
  const own = kindTables(tables, kind.name)
  const all = subjectsOf(own, subjects)
  yield* checkQuery(kind.name, { from, to, stepMs }, subjects?.length ?? 1)
  const found = new Map(all.map((subject) => {
    const rows = between(pointsOf(own, subject), { from, to })
    const steps = Map.groupBy(rows, ({ time }) => Math.floor(time / stepMs) * stepMs)
    const points = [...steps].map(([time, some]) => foldRows<Column>(kind.columns, time, some))
    return [
      subject,
      { ...readOf(own, subject, { from, to }), points, sources: namesOf(rows.map(({ source }) => source)) }
    ]
  }))
  yield* bounded(kind.name, "points", [...found.values()].reduce((sum, { points }) => sum + points.length, 0))
  return found
})

export const readLatest = Effect.fnUntraced(function*<Column extends string>(
  tables: MarketTables,
  { at, kind, subjects, withinMs }: LatestQuery<Column>
): Effect.fn.Return<ReadonlyMap<string, LatestRead<Column>>, MarketStoreRefusal> {
  yield* checkQuery(kind.name, { from: at - withinMs, to: at + 1 }, 0)
  const own = kindTables(tables, kind.name)
  return new Map(
    subjectsOf(own, subjects).map((subject) => {
      const row = between(pointsOf(own, subject), { from: at - withinMs, to: at + 1 }).at(-1)
      const point = row === undefined ? null : asPoint<Column>({ ...row })
      return [subject, { record: recordOf(own.series.get(subject)!), point }]
    })
  )
})

/** Orders by time, then by id in code point order, as UTF-8 does. */
const inOrder = (a: AnyEvent, b: AnyEvent): number =>
  a.time - b.time || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id))

interface Filter<Column extends string> extends Interval {
  readonly least?: { readonly column: Column; readonly value: number }
}

const matching = <Column extends string>(
  { events }: KindTables,
  subject: string | undefined,
  { from, least, to }: Filter<Column>
): ReadonlyArray<AnyEvent> =>
  [...events.values()].filter(({ subjects, time, values }) =>
    time >= from && time < to && (subject === undefined || subjects.includes(subject)) &&
    (least === undefined || (values[least.column] ?? -Infinity) >= least.value)
  ).sort(inOrder)

const tally = <Column extends string>(
  columns: ReadonlyArray<Column>,
  time: number,
  label: string | null,
  events: ReadonlyArray<AnyEvent>
): Tally<Column> => {
  const known = columns.map((column) => [column, events.flatMap(({ values }) => values[column] ?? [])] as const)
  const byColumn = (of: (values: ReadonlyArray<number>) => number) =>
    // The result has every column of the kind.
    Object.fromEntries(known.map(([column, values]) => [column, of(values)])) as { [C in Column]: number }
  return {
    time,
    label,
    count: events.length,
    labels: new Set(events.flatMap((event) => event.label ?? [])).size,
    sums: byColumn((values) => values.reduce((sum, value) => sum + value, 0)),
    known: byColumn((values) => values.length)
  }
}

const tallied = <Column extends string>(
  { byLabel, columns }: { readonly byLabel: boolean; readonly columns: ReadonlyArray<Column> },
  events: ReadonlyArray<AnyEvent>,
  from: number,
  stepMs: number
): ReadonlyArray<Tally<Column>> =>
  [...Map.groupBy(events, ({ time }) => from + Math.floor((time - from) / stepMs) * stepMs)].flatMap(([time, some]) =>
    [...Map.groupBy(some, ({ label }) => byLabel ? label : null)]
      .sort(([a], [b]) => (a === null ? 1 : b === null ? -1 : a < b ? -1 : 1))
      .map(([label, own]) => tally(columns, time, label, own))
  )

const sourcesOf = (events: ReadonlyArray<AnyEvent>) => namesOf(events.map(({ source }) => source))

const told = <Column extends string>({ document, id, label, source, time, values }: AnyEvent) =>
  // Events have the columns of their kind.
  ({ ...values, id, time, source, label, document }) as MarketEvent<Column>

export const readEvents = Effect.fnUntraced(function*<Column extends string>(
  tables: MarketTables,
  query: EventsQuery<Column>
): Effect.fn.Return<EventsRead<Column>, MarketStoreRefusal> {
  const { from, kind, limit, subject, to } = query
  const stepMs = query.stepMs ?? Math.max(1, to - from)
  yield* checkQuery(kind.name, { from, to, stepMs, last: limit + 1 }, 1)
  yield* bounded(kind.name, "events", limit)
  const own = kindTables(tables, kind.name)
  const all = matching(own, subject, query)
  const events = all.slice(Math.max(0, all.length - limit)).map((event) => told<Column>(event))
  yield* boundedBytes(kind.name, events.map(({ document }) => document))
  const series = subject === undefined ? undefined : own.series.get(subject)
  return {
    record: series === undefined ? null : recordOf(series),
    gaps: subject === undefined ? { lost: [], missing: [] } : gapsOf(own, subject, { from, to }),
    events,
    tallies: tallied(kind, all, from, stepMs),
    sources: sourcesOf(all)
  }
})

export const readTallies = Effect.fnUntraced(function*<Column extends string>(
  tables: MarketTables,
  query: TalliesQuery<Column>
): Effect.fn.Return<ReadonlyMap<string, TalliesRead<Column>>, MarketStoreRefusal> {
  const { from, kind, stepMs, to } = query
  const own = kindTables(tables, kind.name)
  const subjects = subjectsOf(own, query.subjects)
  yield* checkQuery(kind.name, { from, to, stepMs }, query.subjects?.length ?? 1)
  const found = new Map(subjects.map((subject) => {
    const all = matching(own, subject, query)
    const tallies = tallied(kind, all, from, stepMs)
    return [subject, { ...readOf(own, subject, { from, to }), tallies, sources: sourcesOf(all) }]
  }))
  yield* bounded(kind.name, "tallies", [...found.values()].reduce((sum, { tallies }) => sum + tallies.length, 0))
  return found
})

export const readDocuments = Effect.fnUntraced(function*(
  tables: MarketTables,
  { keys, kind }: DocumentsQuery
): Effect.fn.Return<ReadonlyMap<string, DocumentRow>, MarketStoreRefusal> {
  const { documents } = kindTables(tables, kind.name)
  const found = [...new Set(keys ?? documents.keys())].flatMap((key) => documents.get(key) ?? [])
  yield* boundedBytes(kind.name, found.map(({ document }) => document))
  return new Map(found.map((row) => [row.key, { ...row }]))
})
