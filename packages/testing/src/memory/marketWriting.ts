import {
  type Coverage,
  coverageAfter,
  coveredAtMost,
  type Covering,
  type DocumentsWrite,
  type EventsWrite,
  isRevised,
  marketBounds,
  type MarketStoreRefusal,
  type PointsWrite,
  tooMany,
  tooScattered,
  type Written
} from "@tapeline/core/market/store"
import { Effect } from "effect"
import {
  type AnyEvent,
  type AnyPoint,
  coverageOf,
  type KindTables,
  kindTables,
  type MarketTables,
  type SeriesRow
} from "./marketTables.ts"

/* Effects of a validated write on the tables. Each write is checked first, then applied in one step. */

type Judged<A> = Effect.Effect<A, MarketStoreRefusal>

const same = (one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(one).every((key) => one[key] === other[key])

/** The change of a subject. */
interface Change {
  readonly subject: string
  readonly firstRow: number | null
  /** The earliest row that changes or disappears. */
  readonly firstChange: number | null
  readonly covering: Covering
  readonly sources: ReadonlyArray<string>
}

const least = (times: ReadonlyArray<number>): number | null =>
  times.reduce<number | null>((first, time) => first === null || time < first ? time : first, null)

const rowAfter = (
  before: SeriesRow | undefined,
  coverage: Coverage,
  { firstChange, sources }: Change,
  known: Coverage
): SeriesRow => ({
  coverage,
  revision: before === undefined || isRevised(known, coverage, firstChange) ? crypto.randomUUID() : before.revision,
  sources: [...new Set([...(before?.sources ?? []), ...sources])]
})

/** Returns the rows of series after the changes, or fails if a limit is exceeded. */
const seriesAfter = (
  kind: string,
  tables: KindTables,
  changes: ReadonlyArray<Change>
): Judged<ReadonlyArray<readonly [string, SeriesRow]>> =>
  Effect.suspend(() => {
    const rows: Array<readonly [string, SeriesRow]> = []
    let fresh = 0
    for (const change of changes) {
      const { covering: { covers = [], lost = [] }, firstChange, firstRow, subject } = change
      const before = tables.series.get(subject)
      const known = coverageOf(tables, subject)
      const coverage = coverageAfter(known, { covers, lost, firstRow })
      if (coverage.covered.length > coveredAtMost) return Effect.fail(tooScattered(kind, subject, coveredAtMost))
      if (before === undefined && firstChange === null && coverage.first === null) continue
      if (before === undefined) fresh++
      rows.push([subject, rowAfter(before, coverage, change, known)])
    }
    return fresh > 0 && tables.series.size + fresh > marketBounds.subjects
      ? Effect.fail(tooMany(kind, "subjects", marketBounds.subjects))
      : Effect.succeed(rows)
  })

const learn = (tables: MarketTables, kind: string, sources: ReadonlyArray<string>): Judged<void> =>
  Effect.suspend(() => {
    const all = new Set([...tables.sources, ...sources])
    if (all.size > marketBounds.sources) return Effect.fail(tooMany(kind, "sources", marketBounds.sources))
    for (const source of sources) tables.sources.add(source)
    return Effect.void
  })

const pointOf = (row: Readonly<Record<string, unknown>>, columns: ReadonlyArray<string>, source: string): AnyPoint =>
  Object.fromEntries([
    ...columns.map((column) => [column, row[column]]),
    ["time", row["time"]],
    ["source", source]
    // The values have the types of the kind's columns.
  ]) as AnyPoint

export const putPoints = Effect.fnUntraced(function*<Column extends string>(
  tables: MarketTables,
  write: PointsWrite<Column>
): Effect.fn.Return<Written, MarketStoreRefusal> {
  const { kind, series } = write
  const own = kindTables(tables, kind.name)
  const columns = Object.keys(kind.columns)
  const put = series.map(({ rows, source, subject, ...covering }) => {
    const known = own.points.get(subject)
    const changed = rows.map((row) => pointOf(row, columns, source)).filter((row) => {
      const before = known?.get(row.time)
      return before === undefined || !same(row, before)
    })
    const change: Change = {
      subject,
      firstRow: least(rows.map(({ time }) => time)),
      firstChange: least(changed.map(({ time }) => time)),
      covering,
      sources: rows.length === 0 ? [] : [source]
    }
    return { change, changed }
  })
  const after = yield* seriesAfter(kind.name, own, put.map(({ change }) => change))
  yield* learn(tables, kind.name, put.flatMap(({ change }) => change.sources))
  for (const [subject, row] of after) own.series.set(subject, row)
  for (const { change: { subject }, changed } of put) {
    const rows = own.points.get(subject) ?? new Map<number, AnyPoint>()
    for (const row of changed) rows.set(row.time, row)
    if (rows.size > 0) own.points.set(subject, rows)
  }
  return { changed: put.reduce((sum, { changed }) => sum + changed.length, 0) }
})

/** The comparable row of an event, by subject. An event without subjects has one under the empty subject. */
const rowsOf = (event: AnyEvent): ReadonlyMap<string, unknown> =>
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

export const putEvents = Effect.fnUntraced(function*<Column extends string>(
  tables: MarketTables,
  write: EventsWrite<Column>
): Effect.fn.Return<Written, MarketStoreRefusal> {
  const { covering = [], events, kind, removedUnder = [] } = write
  const own = kindTables(tables, kind.name)
  const ids = new Set(events.map(({ id }) => id))
  const removed = new Set([
    ...write.removed ?? [],
    ...[...own.events.keys()].filter((id) => !ids.has(id) && removedUnder.some((beginning) => id.startsWith(beginning)))
  ])
  const given = events.map((event): AnyEvent => ({
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
  const compare = (before: AnyEvent | undefined, after: AnyEvent | undefined) => {
    const [were, are] = [before, after].map((one) => one === undefined ? new Map<string, unknown>() : rowsOf(one))
    for (const subject of new Set([...were!.keys(), ...are!.keys()])) {
      if (were!.get(subject) === are!.get(subject)) continue
      if (before !== undefined && were!.has(subject)) change(subject, before.time)
      if (after !== undefined && are!.has(subject)) change(subject, after.time)
      changed++
    }
  }
  for (const event of given) compare(own.events.get(event.id), event)
  for (const id of removed) compare(own.events.get(id), undefined)
  const subjects = new Set([
    ...covering.map(({ subject }) => subject),
    ...given.flatMap((event) => event.subjects),
    ...[...firstChange.keys()].filter((subject) => subject !== "")
  ])
  const after = yield* seriesAfter(
    kind.name,
    own,
    [...subjects].map((subject) => {
      const about = given.filter((event) => event.subjects.includes(subject))
      return {
        subject,
        firstRow: least(about.map(({ time }) => time)),
        firstChange: firstChange.get(subject) ?? null,
        covering: covering.find((one) => one.subject === subject) ?? {},
        sources: about.map(({ source }) => source)
      }
    })
  )
  yield* learn(tables, kind.name, given.map(({ source }) => source))
  for (const [subject, row] of after) own.series.set(subject, row)
  for (const event of given) own.events.set(event.id, event)
  for (const id of removed) own.events.delete(id)
  return { changed }
})

export const putDocuments = Effect.fnUntraced(function*(
  tables: MarketTables,
  write: DocumentsWrite
): Effect.fn.Return<Written, MarketStoreRefusal> {
  const { documents, kind, now = Infinity, removed = [] } = write
  const own = kindTables(tables, kind.name).documents
  const newer = documents.filter((row) => {
    const before = own.get(row.key)
    if (before === undefined) return true
    return (row.time >= before.time || before.time > now) && !same({ ...row }, { ...before })
  })
  const gone = removed.filter((key) => own.has(key))
  const fresh = newer.filter(({ key }) => !own.has(key)).length
  if (fresh > 0 && own.size + fresh - gone.length > marketBounds.documents) {
    return yield* tooMany(kind.name, "documents", marketBounds.documents)
  }
  yield* learn(tables, kind.name, newer.map(({ source }) => source))
  for (const { document, key, source, time } of newer) own.set(key, { key, time, source, document })
  for (const key of gone) own.delete(key)
  return { changed: newer.length + gone.length }
})
