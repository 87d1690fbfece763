import {
  type Coverage,
  type CoverageUpdate,
  type DocumentsWrite,
  type EventsWrite,
  isContentChanged,
  marketStoreLimits,
  type MarketStoreRefusal,
  maxCoveredIntervals,
  type PointsWrite,
  storeFull,
  tooManyIntervals,
  updateCoverage,
  type WriteResult
} from "@tapeline/core/market/store"
import { Effect } from "effect"
import {
  type AnyEvent,
  type AnyPoint,
  getCoverage,
  getKindTables,
  type KindTables,
  type MarketTables,
  type SeriesRow
} from "./marketTables.ts"

/* Each write of market data is checked first and then applied in one step. */

type StoreWrite<A> = Effect.Effect<A, MarketStoreRefusal>

const hasSameFields = (a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(a).every((key) => a[key] === b[key])

interface SeriesChange {
  readonly subject: string
  readonly firstRowAt: number | null
  /** The time of the earliest row that the write changes or removes. */
  readonly firstChange: number | null
  readonly covering: CoverageUpdate
  readonly sources: ReadonlyArray<string>
}

const findEarliest = (times: ReadonlyArray<number>): number | null =>
  times.reduce<number | null>((first, time) => first === null || time < first ? time : first, null)

const makeRowAfter = (
  previous: SeriesRow | undefined,
  coverage: Coverage,
  { firstChange, sources }: SeriesChange,
  known: Coverage
): SeriesRow => ({
  coverage,
  revision: previous === undefined || isContentChanged(known, coverage, firstChange)
    ? crypto.randomUUID()
    : previous.revision,
  sources: [...new Set([...(previous?.sources ?? []), ...sources])]
})

/**
 * Computes the stored rows of the series that a write changes. Fails if a series has too many intervals, or if the
 * store has too many subjects.
 */
const makeSeriesAfter = (
  kind: string,
  tables: KindTables,
  changes: ReadonlyArray<SeriesChange>
): StoreWrite<ReadonlyArray<readonly [string, SeriesRow]>> =>
  Effect.suspend(() => {
    const rows: Array<readonly [string, SeriesRow]> = []
    let newCount = 0
    for (const change of changes) {
      const { covering: { covers = [], lost = [] }, firstChange, firstRowAt, subject } = change
      const previous = tables.series.get(subject)
      const known = getCoverage(tables, subject)
      const coverage = updateCoverage(known, { covers, lost, firstRowAt })
      if (coverage.covered.length > maxCoveredIntervals) {
        return Effect.fail(tooManyIntervals(kind, subject, maxCoveredIntervals))
      }
      if (previous === undefined && firstChange === null && coverage.firstAt === null) continue
      if (previous === undefined) newCount++
      rows.push([subject, makeRowAfter(previous, coverage, change, known)])
    }
    return newCount > 0 && tables.series.size + newCount > marketStoreLimits.maxSubjects
      ? Effect.fail(storeFull(kind, "subjects", marketStoreLimits.maxSubjects))
      : Effect.succeed(rows)
  })

const addSources = (tables: MarketTables, kind: string, sources: ReadonlyArray<string>): StoreWrite<void> =>
  Effect.suspend(() => {
    const all = new Set([...tables.sources, ...sources])
    if (all.size > marketStoreLimits.maxSources) {
      return Effect.fail(storeFull(kind, "sources", marketStoreLimits.maxSources))
    }
    for (const source of sources) tables.sources.add(source)
    return Effect.void
  })

const makePoint = (row: Readonly<Record<string, unknown>>, columns: ReadonlyArray<string>, source: string): AnyPoint =>
  Object.fromEntries([
    ...columns.map((column) => [column, row[column]]),
    ["time", row["time"]],
    ["source", source]
    // The cast is safe, because the values have the types of the kind's columns.
  ]) as AnyPoint

export const applyPoints = Effect.fnUntraced(function*<Column extends string>(
  tables: MarketTables,
  write: PointsWrite<Column>
): Effect.fn.Return<WriteResult, MarketStoreRefusal> {
  const { kind, series } = write
  const kindTables = getKindTables(tables, kind.name)
  const columns = Object.keys(kind.columns)
  const changesBySeries = series.map(({ rows, source, subject, ...covering }) => {
    const known = kindTables.points.get(subject)
    const changedRows = rows.map((row) => makePoint(row, columns, source)).filter((row) => {
      const previous = known?.get(row.time)
      return previous === undefined || !hasSameFields(row, previous)
    })
    const change: SeriesChange = {
      subject,
      firstRowAt: findEarliest(rows.map(({ time }) => time)),
      firstChange: findEarliest(changedRows.map(({ time }) => time)),
      covering,
      sources: rows.length === 0 ? [] : [source]
    }
    return { change, changedRows }
  })
  const after = yield* makeSeriesAfter(kind.name, kindTables, changesBySeries.map(({ change }) => change))
  yield* addSources(tables, kind.name, changesBySeries.flatMap(({ change }) => change.sources))
  for (const [subject, row] of after) kindTables.series.set(subject, row)
  for (const { change: { subject }, changedRows } of changesBySeries) {
    const rows = kindTables.points.get(subject) ?? new Map<number, AnyPoint>()
    for (const row of changedRows) rows.set(row.time, row)
    if (rows.size > 0) kindTables.points.set(subject, rows)
  }
  return { changed: changesBySeries.reduce((sum, { changedRows }) => sum + changedRows.length, 0) }
})

/**
 * Returns the event as a comparable text for each of its subjects. An event without subjects has one text, for the
 * empty subject.
 */
const getComparableRows = (event: AnyEvent): ReadonlyMap<string, unknown> =>
  new Map((event.subjects.length === 0 ? [""] : event.subjects).map((subject) => [
    subject,
    JSON.stringify([
      event.time,
      event.source,
      event.label,
      event.document,
      Object.entries(event.values),
      (event.subjects[0] ?? "") === subject
    ])
  ]))

export const applyEvents = Effect.fnUntraced(function*<Column extends string>(
  tables: MarketTables,
  write: EventsWrite<Column>
): Effect.fn.Return<WriteResult, MarketStoreRefusal> {
  const { covering = [], events, kind, removedUnder = [] } = write
  const kindTables = getKindTables(tables, kind.name)
  const ids = new Set(events.map(({ id }) => id))
  const removed = new Set([
    ...write.removed ?? [],
    ...[...kindTables.events.keys()].filter((id) =>
      !ids.has(id) && removedUnder.some((prefix) => id.startsWith(prefix))
    )
  ])
  const storedEvents = events.map((event): AnyEvent => ({
    id: event.id,
    time: event.time,
    subjects: event.subjects,
    source: event.source,
    label: event.label,
    document: event.document,
    values: Object.fromEntries(kind.columns.map((column) => [column, event[column]]))
  }))
  const firstChange = new Map<string, number>()
  const change = (subject: string, time: number) =>
    firstChange.set(subject, Math.min(time, firstChange.get(subject) ?? Infinity))
  let changed = 0
  const compare = (previous: AnyEvent | undefined, after: AnyEvent | undefined) => {
    const [rowsBefore, rowsAfter] = [previous, after].map((a) =>
      a === undefined ? new Map<string, unknown>() : getComparableRows(a)
    )
    for (const subject of new Set([...rowsBefore!.keys(), ...rowsAfter!.keys()])) {
      if (rowsBefore!.get(subject) === rowsAfter!.get(subject)) continue
      if (previous !== undefined && rowsBefore!.has(subject)) change(subject, previous.time)
      if (after !== undefined && rowsAfter!.has(subject)) change(subject, after.time)
      changed++
    }
  }
  for (const event of storedEvents) compare(kindTables.events.get(event.id), event)
  for (const id of removed) compare(kindTables.events.get(id), undefined)
  const subjects = new Set([
    ...covering.map(({ subject }) => subject),
    ...storedEvents.flatMap((event) => event.subjects),
    ...[...firstChange.keys()].filter((subject) => subject !== "")
  ])
  const after = yield* makeSeriesAfter(
    kind.name,
    kindTables,
    [...subjects].map((subject) => {
      const ownEvents = storedEvents.filter((event) => event.subjects.includes(subject))
      return {
        subject,
        firstRowAt: findEarliest(ownEvents.map(({ time }) => time)),
        firstChange: firstChange.get(subject) ?? null,
        covering: covering.find((a) => a.subject === subject) ?? {},
        sources: ownEvents.map(({ source }) => source)
      }
    })
  )
  yield* addSources(tables, kind.name, storedEvents.map(({ source }) => source))
  for (const [subject, row] of after) kindTables.series.set(subject, row)
  for (const event of storedEvents) kindTables.events.set(event.id, event)
  for (const id of removed) kindTables.events.delete(id)
  return { changed }
})

export const applyDocuments = Effect.fnUntraced(function*(
  tables: MarketTables,
  write: DocumentsWrite
): Effect.fn.Return<WriteResult, MarketStoreRefusal> {
  const { documents, kind, now = Infinity, removed = [] } = write
  const documentTable = getKindTables(tables, kind.name).documents
  const newerDocuments = documents.filter((row) => {
    const previous = documentTable.get(row.key)
    if (previous === undefined) return true
    return (row.time >= previous.time || previous.time > now) && !hasSameFields({ ...row }, { ...previous })
  })
  const removedKeys = removed.filter((key) => documentTable.has(key))
  const newCount = newerDocuments.filter(({ key }) => !documentTable.has(key)).length
  if (newCount > 0 && documentTable.size + newCount - removedKeys.length > marketStoreLimits.maxDocuments) {
    return yield* storeFull(kind.name, "documents", marketStoreLimits.maxDocuments)
  }
  yield* addSources(tables, kind.name, newerDocuments.map(({ source }) => source))
  for (const { document, key, source, time } of newerDocuments) documentTable.set(key, { key, time, source, document })
  for (const key of removedKeys) documentTable.delete(key)
  return { changed: newerDocuments.length + removedKeys.length }
})
