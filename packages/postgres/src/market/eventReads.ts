import type { PgClient } from "@effect/sql-pg"
import {
  checkQuery,
  type EventsKind,
  type EventsQuery,
  type EventsRead,
  type MarketEvent,
  marketStoreLimits,
  type MarketStoreRefusal,
  readTooLarge,
  type TalliesQuery,
  type TalliesRead,
  type Tally
} from "@tapeline/core/market/store"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { texts } from "../parameters.ts"
import {
  findGaps,
  makeStatementByKind,
  readSeriesColumns,
  type ReadSeriesRow,
  selectRequestedSeries,
  splitSourceNames,
  toRecord,
  toSourceNames
} from "./tables.ts"

/** Returns SQL that selects events whose value in column number `$6` is at least `$5`. */
const minimumSql = (columns: ReadonlyArray<string>): string =>
  `($5::float8 is null or case $6::integer ${
    columns.map((name, i) => `when ${i} then t.${name}`).join(" ")
  } end >= $5::float8)`

const toMinimumParameters = <Column extends string>(
  columns: ReadonlyArray<Column>,
  minimum: { readonly column: Column; readonly value: number } | undefined
): readonly [string | null, string] =>
  minimum === undefined ? [null, "0"] : [String(minimum.value), String(columns.indexOf(minimum.column))]

/**
 * Returns SQL that counts and sums the events of the subquery `m`, grouped by series and time step. Each sum specifies
 * its row order, because `count(distinct ...)` sorts the rows differently.
 */
const tallySql = (columns: ReadonlyArray<string>): string =>
  `select series, step, told as label, count(*) as count, count(distinct label) as labels,
    array_agg(distinct source) as sources,
    ${
    columns.map((name, i) => `coalesce(sum(${name} order by time, id), 0) as sum${i}, count(${name}) as known${i}`)
      .join(", ")
  }
  from (select * from m order by series, step, told, time, id) m group by series, step, told
  limit ${marketStoreLimits.maxRowsPerRead + 1}`

const tallyJsonSql = (columns: ReadonlyArray<string>): string =>
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

const compareLabels = (a: string | null, b: string | null): number =>
  a === b ? 0 : a === null ? 1 : b === null || a < b ? -1 : 1

const toTallies = <Column extends string>(
  columns: ReadonlyArray<Column>,
  rows: ReadonlyArray<TallyRow>
): ReadonlyArray<Tally<Column>> => {
  const toColumns = (values: ReadonlyArray<number>) =>
    Object.fromEntries(columns.map((name, i) => [name, values[i]!])) as { [C in Column]: number } // all columns are set
  return rows
    .map(({ count, known, label, labels, sums, time }) => ({
      time,
      label,
      count,
      labels,
      sums: toColumns(sums),
      known: toColumns(known)
    }))
    .sort((a, b) => a.time - b.time || compareLabels(a.label, b.label))
}

const listSources = (rows: ReadonlyArray<TallyRow>, names: Readonly<Record<string, string>>) =>
  splitSourceNames(new Set(rows.flatMap(({ sources }) => sources.map((id) => names[id]!))))

const tallySourceNamesSql = `(select json_object_agg(m.id, m.name)::text from market_sources m where m.id in (
    select unnest(y.sources) from y
  ))`

/**
 * Returns the columns for counting and summing events. The column `document` is omitted, because documents may be long.
 */
const tallyColumnsSql = (columns: ReadonlyArray<string>): string =>
  ["series", "time", "id", "source", "label", ...columns].map((name) => `t.${name}`).join(", ")

const stepSql = "$3::bigint + (t.time - $3::bigint) / $7::bigint * $7::bigint as step"

const labelSql = (isTalliedByLabel: boolean): string => `${isTalliedByLabel ? "t.label" : "null::text"} as told`

/**
 * Creates statements that select the events of one series or of all series. An event with several subjects has several
 * rows, of which the statement selects only one.
 */
const selectEventsSql = (condition: string) =>
  makeStatementByKind<EventsKind>(({ columns, table }, { isTalliedByLabel }) =>
    `with s as materialized (${selectRequestedSeries}), m as materialized (
      select ${tallyColumnsSql(columns)}, ${stepSql}, ${labelSql(isTalliedByLabel)}
      from ${table} t where ${condition} and t.time >= $3::bigint and t.time < $4::bigint and ${minimumSql(columns)}
    ), e as materialized (
      select m.*, (
        select t.document from ${table} t where t.series = m.series and t.time = m.time and t.id = m.id
      ) as document
      from (select * from m order by time desc, id desc limit $8::bigint) m
    ), y as materialized (${tallySql(columns)})
    select (select row_to_json(x)::text from (select ${readSeriesColumns} from s) x) as told,
      (select coalesce(json_agg(${tallyJsonSql(columns)}), '[]')::text from y) as tallies,
      ${tallySourceNamesSql} as names,
      coalesce((select sum(octet_length(document)) from e), 0)::float8 as bytes,
      (select coalesce(json_agg(json_build_array(${
      ["id", "time", "source", "label", "document", ...columns].join(", ")
    }) order by time, id), '[]')::text from e
        where (select coalesce(sum(octet_length(document)), 0) from e) <= ${marketStoreLimits.maxTotalDocumentBytes}
      ) as events`
  )

export const selectEvents = {
  ofSubject: selectEventsSql("t.series = (select id from s)"),
  ofAll: selectEventsSql("t.leads")
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

const toEvent = <Column extends string>(
  [id, time, source, label, document, ...values]: EventTuple,
  columns: ReadonlyArray<Column>,
  names: Readonly<Record<string, string>>
): MarketEvent<Column> => {
  const numbers = Object.fromEntries(columns.map((name, i) => [name, values[i]!]))
  return { ...numbers, id, time, source: names[source]!, label, document } as MarketEvent<Column> // all columns are set
}

export const readEvents = Effect.fnUntraced(function*<Column extends string>(
  sql: PgClient.PgClient,
  { from, kind, minimum, limit, subject, stepMs = 0, to }: EventsQuery<Column>
): Effect.fn.Return<EventsRead<Column>, SqlError | MarketStoreRefusal> {
  const stepLengthMs = stepMs === 0 ? Math.max(1, to - from) : stepMs
  yield* checkQuery(kind.name, { from, to, stepMs: stepLengthMs, last: limit + 1 }, 1)
  if (limit > marketStoreLimits.maxRowsPerRead) {
    return yield* readTooLarge(kind.name, `events beyond ${marketStoreLimits.maxRowsPerRead}`)
  }
  const statement = subject === undefined ? selectEvents.ofAll(kind) : selectEvents.ofSubject(kind)
  const [row] = yield* sql.unsafe<EventsRow>(statement, [
    kind.name,
    texts(subject === undefined ? [] : [subject]),
    String(from),
    String(to),
    ...toMinimumParameters(kind.columns, minimum),
    String(stepLengthMs),
    String(limit)
  ])
  if (row!.bytes > marketStoreLimits.maxTotalDocumentBytes) {
    return yield* readTooLarge(kind.name, `documents of more than ${marketStoreLimits.maxTotalDocumentBytes} bytes`)
  }
  // The statement returns JSON whose values have the declared types.
  const seriesRow: ReadSeriesRow | null = row!.told === null ? null : JSON.parse(row!.told)
  const [tallies, events]: [ReadonlyArray<TallyRow>, ReadonlyArray<EventTuple>] = [
    JSON.parse(row!.tallies),
    JSON.parse(row!.events)
  ]
  yield* failBeyondLimit(kind.name, tallies.length)
  const names: Readonly<Record<string, string>> = row!.names === null ? {} : JSON.parse(row!.names)
  const missing = subject === undefined || from === to ? [] : [{ from, to }]
  return {
    record: seriesRow === null ? null : toRecord(seriesRow),
    gaps: seriesRow === null ? { lost: [], missing } : findGaps(seriesRow, { from, to }),
    events: events.map((event) => toEvent(event, kind.columns, names)),
    tallies: toTallies(kind.columns, tallies),
    sources: listSources(tallies, names)
  }
})

const failBeyondLimit = (kind: string, tallies: number): Effect.Effect<void, MarketStoreRefusal> =>
  tallies > marketStoreLimits.maxRowsPerRead
    ? Effect.fail(readTooLarge(kind, `tallies beyond ${marketStoreLimits.maxRowsPerRead}`))
    : Effect.void

export const selectTallies = makeStatementByKind<EventsKind>(({ columns, table }, { isTalliedByLabel }) =>
  `with s as materialized (${selectRequestedSeries}), m as materialized (
    select t.*, ${stepSql}, ${labelSql(isTalliedByLabel)} from s cross join lateral (
      select ${tallyColumnsSql(columns)} from ${table} t
      where t.series = s.id and t.time >= $3::bigint and t.time < $4::bigint and ${minimumSql(columns)}
      offset 0
    ) t
  ), y as materialized (${tallySql(columns)}), g as (
    select y.series, json_agg(${tallyJsonSql(columns)})::text as tallies from y group by y.series
  )
  select ${readSeriesColumns}, g.tallies from s left join g on g.series = s.id`
)

export const readTallies = Effect.fnUntraced(function*<Column extends string>(
  sql: PgClient.PgClient,
  { from, kind, minimum, stepMs, subjects, to }: TalliesQuery<Column>
): Effect.fn.Return<ReadonlyMap<string, TalliesRead<Column>>, SqlError | MarketStoreRefusal> {
  yield* checkQuery(kind.name, { from, to, stepMs }, subjects?.length ?? 1)
  const rows = yield* sql.unsafe<ReadSeriesRow & { readonly tallies: string | null }>(selectTallies(kind), [
    kind.name,
    subjects === undefined ? null : texts(subjects),
    String(from),
    String(to),
    ...toMinimumParameters(kind.columns, minimum),
    String(stepMs)
  ])
  const talliesOfRows = rows.map((row) => {
    const tallies: ReadonlyArray<TallyRow> = row.tallies === null ? [] : JSON.parse(row.tallies)
    return { row, tallies }
  })
  yield* failBeyondLimit(kind.name, talliesOfRows.reduce((sum, { tallies }) => sum + tallies.length, 0))
  return new Map(talliesOfRows.map(({ row, tallies }) => {
    return [row.subject, {
      record: toRecord(row),
      gaps: findGaps(row, { from, to }),
      tallies: toTallies(kind.columns, tallies),
      sources: listSources(tallies, Object.fromEntries(toSourceNames(row)))
    }]
  }))
})
