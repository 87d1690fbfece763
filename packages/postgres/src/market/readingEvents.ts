import type { PgClient } from "@effect/sql-pg"
import {
  checkQuery,
  type EventsKind,
  type EventsQuery,
  type EventsRead,
  marketBounds,
  type MarketEvent,
  type MarketStoreRefusal,
  type TalliesQuery,
  type TalliesRead,
  type Tally,
  tooMuch
} from "@tapeline/core/market/store"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { texts } from "../parameters.ts"
import { askedSeries, gapsOf, namesIn, recordOf, separate, toldColumns, type ToldRow } from "./series.ts"
import { byKind } from "./tables.ts"

/* Reads of events: one statement each. */

/** Selects events with a value of at least `$5` in the column with the number `$6`. */
const isLarge = (columns: ReadonlyArray<string>): string =>
  `($5::float8 is null or case $6::integer ${
    columns.map((name, i) => `when ${i} then t.${name}`).join(" ")
  } end >= $5::float8)`

const large = <Column extends string>(
  columns: ReadonlyArray<Column>,
  least: { readonly column: Column; readonly value: number } | undefined
): readonly [string | null, string] =>
  least === undefined ? [null, "0"] : [String(least.value), String(columns.indexOf(least.column))]

/**
 * Makes the tallies of `m`. Sums are explicitly in the order of times and ids, because the rows are sorted differently
 * for `distinct`.
 */
const tally = (columns: ReadonlyArray<string>): string =>
  `select series, step, told as label, count(*) as count, count(distinct label) as labels,
    array_agg(distinct source) as sources,
    ${
    columns.map((name, i) => `coalesce(sum(${name} order by time, id), 0) as sum${i}, count(${name}) as known${i}`)
      .join(", ")
  }
  from (select * from m order by series, step, told, time, id) m group by series, step, told
  limit ${marketBounds.rowsRead + 1}`

const tallyJson = (columns: ReadonlyArray<string>): string =>
  `json_build_object('time', y.step, 'label', y.label, 'count', y.count, 'labels', y.labels, 'sources', y.sources,
    'sums', json_build_array(${columns.map((_, i) => `y.sum${i}`).join(", ")}),
    'known', json_build_array(${columns.map((_, i) => `y.known${i}`).join(", ")}))`

interface TallyRow {
  readonly time: number
  readonly label: string | null
  readonly count: number
  readonly labels: number
  readonly sources: ReadonlyArray<number>
  readonly sums: ReadonlyArray<number>
  readonly known: ReadonlyArray<number>
}

const byLabel = (a: string | null, b: string | null): number =>
  a === b ? 0 : a === null ? 1 : b === null || a < b ? -1 : 1

const talliesOf = <Column extends string>(
  columns: ReadonlyArray<Column>,
  rows: ReadonlyArray<TallyRow>
): ReadonlyArray<Tally<Column>> => {
  const named = (values: ReadonlyArray<number>) =>
    Object.fromEntries(columns.map((name, i) => [name, values[i]!])) as { [C in Column]: number } // it has every column
  return rows
    .map(({ count, known, label, labels, sums, time }) => ({
      time,
      label,
      count,
      labels,
      sums: named(sums),
      known: named(known)
    }))
    .sort((a, b) => a.time - b.time || byLabel(a.label, b.label))
}

const namedSources = (rows: ReadonlyArray<TallyRow>, names: Readonly<Record<string, string>>) =>
  separate(new Set(rows.flatMap(({ sources }) => sources.map((id) => names[id]!))))

/** The names of the sources of tallies, by id. */
const tallied = `(select json_object_agg(m.id, m.name)::text from market_sources m where m.id in (
    select unnest(y.sources) from y
  ))`

/** The columns that tallies need. They do not include the document, which may be long. */
const counted = (columns: ReadonlyArray<string>): string =>
  ["series", "time", "id", "source", "label", ...columns].map((name) => `t.${name}`).join(", ")

const stepOf = "$3::bigint + (t.time - $3::bigint) / $7::bigint * $7::bigint as step"

const toldOf = (isByLabel: boolean): string => `${isByLabel ? "t.label" : "null::text"} as told`

/** Selects the events of one series, or of all series by their leading rows. */
const select = (which: string) =>
  byKind<EventsKind>(({ columns, table }, { byLabel: isByLabel }) =>
    `with s as materialized (${askedSeries}), m as materialized (
      select ${counted(columns)}, ${stepOf}, ${toldOf(isByLabel)}
      from ${table} t where ${which} and t.time >= $3::bigint and t.time < $4::bigint and ${isLarge(columns)}
    ), e as materialized (
      select m.*, (
        select t.document from ${table} t where t.series = m.series and t.time = m.time and t.id = m.id
      ) as document
      from (select * from m order by time desc, id desc limit $8::bigint) m
    ), y as materialized (${tally(columns)})
    select (select row_to_json(x)::text from (select ${toldColumns} from s) x) as told,
      (select coalesce(json_agg(${tallyJson(columns)}), '[]')::text from y) as tallies,
      ${tallied} as names,
      coalesce((select sum(octet_length(document)) from e), 0)::float8 as bytes,
      (select coalesce(json_agg(json_build_array(${
      ["id", "time", "source", "label", "document", ...columns].join(", ")
    }) order by time, id), '[]')::text from e
        where (select coalesce(sum(octet_length(document)), 0) from e) <= ${marketBounds.bytesAtOnce}) as events`
  )

export const selectEvents = {
  ofSubject: select("t.series = (select id from s)"),
  ofAll: select("t.leads")
}

interface EventsRow {
  readonly told: string | null
  readonly tallies: string
  readonly names: string | null
  readonly bytes: number
  readonly events: string
}

type EventTuple = readonly [
  id: string,
  time: number,
  source: number,
  label: string | null,
  document: string | null,
  ...ReadonlyArray<number | null>
]

const eventOf = <Column extends string>(
  [id, time, source, label, document, ...values]: EventTuple,
  columns: ReadonlyArray<Column>,
  names: Readonly<Record<string, string>>
): MarketEvent<Column> => {
  const numbers = Object.fromEntries(columns.map((name, i) => [name, values[i]!]))
  return { ...numbers, id, time, source: names[source]!, label, document } as MarketEvent<Column> // it has every column
}

export const readEvents = Effect.fnUntraced(function*<Column extends string>(
  sql: PgClient.PgClient,
  { from, kind, least, limit, subject, stepMs = 0, to }: EventsQuery<Column>
): Effect.fn.Return<EventsRead<Column>, SqlError | MarketStoreRefusal> {
  const length = stepMs === 0 ? Math.max(1, to - from) : stepMs
  yield* checkQuery(kind.name, { from, to, stepMs: length, last: limit + 1 }, 1)
  if (limit > marketBounds.rowsRead) return yield* tooMuch(kind.name, `events beyond ${marketBounds.rowsRead}`)
  const text = subject === undefined ? selectEvents.ofAll(kind) : selectEvents.ofSubject(kind)
  const [row] = yield* sql.unsafe<EventsRow>(text, [
    kind.name,
    texts(subject === undefined ? [] : [subject]),
    String(from),
    String(to),
    ...large(kind.columns, least),
    String(length),
    String(limit)
  ])
  if (row!.bytes > marketBounds.bytesAtOnce) {
    return yield* tooMuch(kind.name, `documents of more than ${marketBounds.bytesAtOnce} bytes`)
  }
  // The statement writes these types.
  const told: ToldRow | null = row!.told === null ? null : JSON.parse(row!.told)
  const [tallies, events]: [ReadonlyArray<TallyRow>, ReadonlyArray<EventTuple>] = [
    JSON.parse(row!.tallies),
    JSON.parse(row!.events)
  ]
  yield* bounded(kind.name, tallies.length)
  const names: Readonly<Record<string, string>> = row!.names === null ? {} : JSON.parse(row!.names)
  const missing = subject === undefined || from === to ? [] : [{ from, to }]
  return {
    record: told === null ? null : recordOf(told),
    gaps: told === null ? { lost: [], missing } : gapsOf(told, { from, to }),
    events: events.map((event) => eventOf(event, kind.columns, names)),
    tallies: talliesOf(kind.columns, tallies),
    sources: namedSources(tallies, names)
  }
})

const bounded = (kind: string, tallies: number): Effect.Effect<void, MarketStoreRefusal> =>
  tallies > marketBounds.rowsRead
    ? Effect.fail(tooMuch(kind, `tallies beyond ${marketBounds.rowsRead}`))
    : Effect.void

export const selectTallies = byKind<EventsKind>(({ columns, table }, { byLabel: isByLabel }) =>
  `with s as materialized (${askedSeries}), m as materialized (
    select t.*, ${stepOf}, ${toldOf(isByLabel)} from s cross join lateral (
      select ${counted(columns)} from ${table} t
      where t.series = s.id and t.time >= $3::bigint and t.time < $4::bigint and ${isLarge(columns)}
      offset 0
    ) t
  ), y as materialized (${tally(columns)}), g as (
    select y.series, json_agg(${tallyJson(columns)})::text as tallies from y group by y.series
  )
  select ${toldColumns}, g.tallies from s left join g on g.series = s.id`
)

export const readTallies = Effect.fnUntraced(function*<Column extends string>(
  sql: PgClient.PgClient,
  { from, kind, least, stepMs, subjects, to }: TalliesQuery<Column>
): Effect.fn.Return<ReadonlyMap<string, TalliesRead<Column>>, SqlError | MarketStoreRefusal> {
  yield* checkQuery(kind.name, { from, to, stepMs }, subjects?.length ?? 1)
  const rows = yield* sql.unsafe<ToldRow & { readonly tallies: string | null }>(selectTallies(kind), [
    kind.name,
    subjects === undefined ? null : texts(subjects),
    String(from),
    String(to),
    ...large(kind.columns, least),
    String(stepMs)
  ])
  const tallied = rows.map((row) => {
    const tallies: ReadonlyArray<TallyRow> = row.tallies === null ? [] : JSON.parse(row.tallies)
    return { row, tallies }
  })
  yield* bounded(kind.name, tallied.reduce((sum, { tallies }) => sum + tallies.length, 0))
  return new Map(tallied.map(({ row, tallies }) => {
    return [row.subject, {
      record: recordOf(row),
      gaps: gapsOf(row, { from, to }),
      tallies: talliesOf(kind.columns, tallies),
      sources: namedSources(tallies, Object.fromEntries(namesIn(row)))
    }]
  }))
})
