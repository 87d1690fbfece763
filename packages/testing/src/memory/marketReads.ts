import type { Interval } from "@tapeline/core/market"
import {
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
  type MarketEvent,
  marketStoreLimits,
  type MarketStoreRefusal,
  type Point,
  type PointsQuery,
  type PointsRead,
  readTooLarge,
  type TalliesQuery,
  type TalliesRead,
  type Tally,
  utf8Length
} from "@tapeline/core/market/store"
import { Effect } from "effect"
import {
  type AnyEvent,
  type AnyPoint,
  getGaps,
  getKindTables,
  getKnownSubjects,
  getRecord,
  getSeriesRead,
  type KindTables,
  type MarketTables,
  selectByTime,
  splitSources
} from "./marketTables.ts"

type StoreRead<A> = Effect.Effect<A, MarketStoreRefusal>

const getPoints = ({ points }: KindTables, subject: string): ReadonlyArray<AnyPoint> => [
  ...points.get(subject)?.values() ?? []
]

// The cast is safe, because each row has exactly the columns of its kind.
const asPoint = <Column extends string>(row: AnyPoint) => row as Point<Column>

const checkRowLimit = (kind: string, description: string, count: number): StoreRead<void> =>
  count > marketStoreLimits.maxRowsPerRead
    ? Effect.fail(readTooLarge(kind, `${description} beyond ${marketStoreLimits.maxRowsPerRead}`))
    : Effect.void

const checkByteLimit = (kind: string, documents: ReadonlyArray<string | null>): StoreRead<void> =>
  documents.reduce((sum, document) => sum + (document === null ? 0 : utf8Length(document)), 0) >
      marketStoreLimits.maxTotalDocumentBytes
    ? Effect.fail(readTooLarge(kind, `documents of more than ${marketStoreLimits.maxTotalDocumentBytes} bytes`))
    : Effect.void

export const readPoints = Effect.fnUntraced(function*<Column extends string>(
  tables: MarketTables,
  { everyMs, from, kind, last, subjects, to }: PointsQuery<Column>
): Effect.fn.Return<ReadonlyMap<string, PointsRead<Column>>, MarketStoreRefusal> {
  yield* checkQuery(kind.name, { from, to, everyMs, last }, 0)
  const kindRows = getKindTables(tables, kind.name)
  const pointsBySubject = new Map(
    getKnownSubjects(kindRows, subjects).map((subject) => {
      const rows = selectByTime(getPoints(kindRows, subject), { from, to }).filter(({ time }) =>
        everyMs === undefined || time % everyMs === 0
      )
      const points = (last === undefined ? rows : rows.slice(-last)).map((row) => asPoint<Column>({ ...row }))
      return [subject, { ...getSeriesRead(kindRows, subject, { from, to }), points }]
    })
  )
  yield* checkRowLimit(
    kind.name,
    "points",
    [...pointsBySubject.values()].reduce((sum, { points }) => sum + points.length, 0)
  )
  return pointsBySubject
})

const foldFunctions: Readonly<Record<Fold, (one: number, next: number) => number>> = {
  first: (one) => one,
  last: (_, next) => next,
  max: Math.max,
  min: Math.min,
  sum: (one, next) => one + next
}

/** Combines the values of a column by a rule. Returns null if a required value is null. */
const foldColumn = (rule: Fold, values: ReadonlyArray<number | null>): number | null => {
  if (rule === "first") return values[0] ?? null
  if (rule === "last") return values.at(-1) ?? null
  const known = values.flatMap((value) => value ?? [])
  return known.length < values.length ? null : known.reduce((one, next) => foldFunctions[rule](one, next))
}

const foldRows = <Column extends string>(
  columns: Readonly<Record<Column, Fold>>,
  time: number,
  rows: ReadonlyArray<AnyPoint>
): FoldedPoint<Column> => {
  const values = Object.entries<Fold>(columns).map(([column, rule]) => [
    column,
    // The cast is safe, because every column contains numbers or nulls.
    foldColumn(rule, rows.map((row) => row[column] as number | null))
  ])
  const rowBounds = { time, parts: rows.length, firstAt: rows[0]!.time, lastAt: rows.at(-1)!.time }
  return { ...Object.fromEntries(values), ...rowBounds }
}

export const readFolded = Effect.fnUntraced(function*<Column extends string>(
  tables: MarketTables,
  { from, kind, stepMs, subjects, to }: FoldedQuery<Column>
): Effect.fn.Return<ReadonlyMap<string, FoldedRead<Column>>, MarketStoreRefusal> {
  const kindRows = getKindTables(tables, kind.name)
  const all = getKnownSubjects(kindRows, subjects)
  yield* checkQuery(kind.name, { from, to, stepMs }, subjects?.length ?? 1)
  const stepsBySubject = new Map(all.map((subject) => {
    const rows = selectByTime(getPoints(kindRows, subject), { from, to })
    const steps = Map.groupBy(rows, ({ time }) => Math.floor(time / stepMs) * stepMs)
    const points = [...steps].map(([time, rowsOfStep]) => foldRows<Column>(kind.columns, time, rowsOfStep))
    return [
      subject,
      {
        ...getSeriesRead(kindRows, subject, { from, to }),
        points,
        sources: splitSources(rows.map(({ source }) => source))
      }
    ]
  }))
  yield* checkRowLimit(
    kind.name,
    "points",
    [...stepsBySubject.values()].reduce((sum, { points }) => sum + points.length, 0)
  )
  return stepsBySubject
})

export const readLatest = Effect.fnUntraced(function*<Column extends string>(
  tables: MarketTables,
  { at, kind, subjects, withinMs }: LatestQuery<Column>
): Effect.fn.Return<ReadonlyMap<string, LatestRead<Column>>, MarketStoreRefusal> {
  yield* checkQuery(kind.name, { from: at - withinMs, to: at + 1 }, 0)
  const kindRows = getKindTables(tables, kind.name)
  return new Map(
    getKnownSubjects(kindRows, subjects).map((subject) => {
      const row = selectByTime(getPoints(kindRows, subject), { from: at - withinMs, to: at + 1 }).at(-1)
      const point = row === undefined ? null : asPoint<Column>({ ...row })
      return [subject, { record: getRecord(kindRows.series.get(subject)!), point }]
    })
  )
})

/** Compares events by time, then by id in code point order, which is also the byte order of UTF-8. */
const compareEvents = (a: AnyEvent, b: AnyEvent): number =>
  a.time - b.time || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id))

interface EventFilter<Column extends string> extends Interval {
  readonly minimum?: { readonly column: Column; readonly value: number }
}

const findEvents = <Column extends string>(
  { events }: KindTables,
  subject: string | undefined,
  { from, minimum, to }: EventFilter<Column>
): ReadonlyArray<AnyEvent> =>
  [...events.values()].filter(({ subjects, time, values }) =>
    time >= from && time < to && (subject === undefined || subjects.includes(subject)) &&
    (minimum === undefined || (values[minimum.column] ?? -Infinity) >= minimum.value)
  ).sort(compareEvents)

const tallyEvents = <Column extends string>(
  columns: ReadonlyArray<Column>,
  time: number,
  label: string | null,
  events: ReadonlyArray<AnyEvent>
): Tally<Column> => {
  const known = columns.map((column) => [column, events.flatMap(({ values }) => values[column] ?? [])] as const)
  const byColumn = (aggregate: (values: ReadonlyArray<number>) => number) =>
    // The cast is safe, because the result has every column of the kind.
    Object.fromEntries(known.map(([column, values]) => [column, aggregate(values)])) as { [C in Column]: number }
  return {
    time,
    label,
    count: events.length,
    labels: new Set(events.flatMap((event) => event.label ?? [])).size,
    sums: byColumn((values) => values.reduce((sum, value) => sum + value, 0)),
    known: byColumn((values) => values.length)
  }
}

const tallyByStep = <Column extends string>(
  { columns, isTalliedByLabel }: { readonly isTalliedByLabel: boolean; readonly columns: ReadonlyArray<Column> },
  events: ReadonlyArray<AnyEvent>,
  from: number,
  stepMs: number
): ReadonlyArray<Tally<Column>> =>
  [...Map.groupBy(events, ({ time }) => from + Math.floor((time - from) / stepMs) * stepMs)].flatMap((
    [time, rowsOfStep]
  ) =>
    [...Map.groupBy(rowsOfStep, ({ label }) => isTalliedByLabel ? label : null)]
      .sort(([a], [b]) => (a === null ? 1 : b === null ? -1 : a < b ? -1 : 1))
      .map(([label, kindRows]) => tallyEvents(columns, time, label, kindRows))
  )

const getSources = (events: ReadonlyArray<AnyEvent>) => splitSources(events.map(({ source }) => source))

const toMarketEvent = <Column extends string>({ document, id, label, source, time, values }: AnyEvent) =>
  // The cast is safe, because each event has exactly the columns of its kind.
  ({ ...values, id, time, source, label, document }) as MarketEvent<Column>

export const readEvents = Effect.fnUntraced(function*<Column extends string>(
  tables: MarketTables,
  query: EventsQuery<Column>
): Effect.fn.Return<EventsRead<Column>, MarketStoreRefusal> {
  const { from, kind, limit, subject, to } = query
  const stepMs = query.stepMs ?? Math.max(1, to - from)
  yield* checkQuery(kind.name, { from, to, stepMs, last: limit + 1 }, 1)
  yield* checkRowLimit(kind.name, "events", limit)
  const kindRows = getKindTables(tables, kind.name)
  const all = findEvents(kindRows, subject, query)
  const events = all.slice(Math.max(0, all.length - limit)).map((event) => toMarketEvent<Column>(event))
  yield* checkByteLimit(kind.name, events.map(({ document }) => document))
  const series = subject === undefined ? undefined : kindRows.series.get(subject)
  return {
    record: series === undefined ? null : getRecord(series),
    gaps: subject === undefined ? { lost: [], missing: [] } : getGaps(kindRows, subject, { from, to }),
    events,
    tallies: tallyByStep(kind, all, from, stepMs),
    sources: getSources(all)
  }
})

export const readTallies = Effect.fnUntraced(function*<Column extends string>(
  tables: MarketTables,
  query: TalliesQuery<Column>
): Effect.fn.Return<ReadonlyMap<string, TalliesRead<Column>>, MarketStoreRefusal> {
  const { from, kind, stepMs, to } = query
  const kindRows = getKindTables(tables, kind.name)
  const subjects = getKnownSubjects(kindRows, query.subjects)
  yield* checkQuery(kind.name, { from, to, stepMs }, query.subjects?.length ?? 1)
  const talliesBySubject = new Map(subjects.map((subject) => {
    const all = findEvents(kindRows, subject, query)
    const tallies = tallyByStep(kind, all, from, stepMs)
    return [subject, { ...getSeriesRead(kindRows, subject, { from, to }), tallies, sources: getSources(all) }]
  }))
  yield* checkRowLimit(
    kind.name,
    "tallies",
    [...talliesBySubject.values()].reduce((sum, { tallies }) => sum + tallies.length, 0)
  )
  return talliesBySubject
})

export const readDocuments = Effect.fnUntraced(function*(
  tables: MarketTables,
  { keys, kind }: DocumentsQuery
): Effect.fn.Return<ReadonlyMap<string, DocumentRow>, MarketStoreRefusal> {
  const { documents } = getKindTables(tables, kind.name)
  const rows = [...new Set(keys ?? documents.keys())].flatMap((key) => documents.get(key) ?? [])
  yield* checkByteLimit(kind.name, rows.map(({ document }) => document))
  return new Map(rows.map((row) => [row.key, { ...row }]))
})
