import type { PgClient } from "@effect/sql-pg"
import type { EventRow, EventsKind, EventsWrite } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { bigints, booleans, float8s, texts } from "../parameters.ts"
import { type ChangedRows, computeChanges, type SeriesWrite, storeCoverage, toWriteResult } from "./coverage.ts"
import { kindSubject, makeColumnParameters, makeStatementByKind, upsertSql } from "./tables.ts"
import { type LockedSeries, lockRequirements, type MarketWriteTransaction } from "./writeLocks.ts"

export const selectEventSubjects = makeStatementByKind<EventsKind>(({ table }) =>
  `select distinct s.subject from ${table} t join market_series s on s.id = t.series where t.id = any ($1::text[])`
)

/** Selects the ids of events whose ids begin with one of the given prefixes. Each prefix ends in `/`. */
const selectIdsByPrefix = makeStatementByKind<EventsKind>(({ table }) =>
  `select distinct t.id from unnest($1::text[]) as b (beginning) join ${table} t
    on t.id >= b.beginning collate "C" and t.id < (left(b.beginning, -1) || '0') collate "C"`
)

/** Returns the ids of the events that a write removes. `removedUnder` contains prefixes of ids. */
const listRemovedIds = <Column extends string>(
  sql: PgClient.PgClient,
  { events, kind, removed = [], removedUnder = [] }: EventsWrite<Column>
) => {
  if (removedUnder.length === 0) return Effect.succeed(removed)
  const given = new Set(events.map(({ id }) => id))
  return Effect.map(
    sql.unsafe<{ readonly id: string }>(selectIdsByPrefix(kind), [texts(removedUnder)]),
    (found) => [...new Set([...removed, ...found.map(({ id }) => id).filter((id) => !given.has(id))])]
  )
}

/** Replaces the stored rows of the given event ids by new rows from column arrays. */
export const replaceEvents = makeStatementByKind<EventsKind>(({ columns, table }) => {
  const rest = ["source", "leads", "label", "document", ...columns]
  return `with n as materialized (
    select * from unnest($2::bigint[], $3::integer[], $4::text[], $5::smallint[], $6::boolean[], $7::text[],
      $8::text[], ${makeColumnParameters(9, columns)}) as n (time, series, id, ${rest.join(", ")})
  ), gone as (
    delete from ${table} t where t.id = any ($1::text[]) and not exists (
      select from n where n.id = t.id and n.series = t.series and n.time = t.time
    )
    returning t.series, t.time, t.id
  ), put as (
    insert into ${table} as t (time, series, id, ${rest.join(", ")}) select * from n order by series, time, id
    ${upsertSql("series, time, id", rest)}
    returning series, time, id
  )
  select series, min(time)::float8 as first, count(distinct id)::integer as changed
  from (select * from gone union all select * from put) c group by series`
})

/** One row of an event for one of the event's subjects. The subject is `kindSubject` if the event has no subjects. */
interface EventPart<Column extends string> {
  readonly event: EventRow<Column>
  readonly subject: string
  readonly isLeading: boolean
}

const splitBySubject = <Column extends string>(event: EventRow<Column>): ReadonlyArray<EventPart<Column>> =>
  (event.subjects.length === 0 ? [kindSubject] : event.subjects).map((subject, i) => ({
    event,
    subject,
    isLeading: i === 0
  }))

const insertEvents = <Column extends string>(
  sql: PgClient.PgClient,
  { kind, events }: EventsWrite<Column>,
  removed: ReadonlyArray<string>,
  { series, sources }: LockedSeries
) => {
  const parts = events.flatMap(splitBySubject)
  return sql.unsafe<ChangedRows>(replaceEvents(kind), [
    texts([...events.map(({ id }) => id), ...removed]),
    bigints(parts.map(({ event }) => event.time)),
    bigints(parts.map(({ subject }) => series.get(subject)!.id)),
    texts(parts.map(({ event }) => event.id)),
    bigints(parts.map(({ event }) => sources.get(event.source)!)),
    booleans(parts.map(({ isLeading }) => isLeading)),
    texts(parts.map(({ event }) => event.label)),
    texts(parts.map(({ event }) => event.document)),
    ...kind.columns.map((name) => float8s(parts.map(({ event }) => event[name])))
  ])
}

export const makeEventsTransaction = <Column extends string>(write: EventsWrite<Column>): MarketWriteTransaction => {
  const { covering = [], events, kind } = write
  const nonEmptyCoverage = covering.filter(({ covers = [], lost = [] }) => covers.length + lost.length > 0)
  const subjects = new Set([
    kindSubject,
    ...nonEmptyCoverage.map(({ subject }) => subject),
    ...events.flatMap((one) => one.subjects)
  ])
  const requirements = {
    kind,
    subjects: [...subjects],
    sources: events.map(({ source }) => source),
    times: events.map(({ time }) => time)
  }
  return {
    fence: write.fence,
    requirements,
    run: (sql, runFailpoint) =>
      Effect.gen(function*() {
        // While the lock is held, no other transaction writes events of the kind, so the selected subjects are
        // complete.
        yield* lockRequirements(sql, { kind, subjects: [kindSubject], sources: [], times: [] })
        const removed = yield* listRemovedIds(sql, write)
        const existing = yield* sql.unsafe<{ readonly subject: string }>(selectEventSubjects(kind), [
          texts([...events.map(({ id }) => id), ...removed])
        ])
        const allSubjects = new Set([...subjects, ...existing.map(({ subject }) => subject)])
        const locked = yield* lockRequirements(sql, { ...requirements, subjects: [...allSubjects] })
        const writes = [...allSubjects].filter((subject) => subject !== kindSubject).map((subject): SeriesWrite => {
          const subjectEvents = events.filter((event) => event.subjects.includes(subject))
          return {
            row: locked.series.get(subject)!,
            firstRowAt: subjectEvents.reduce<number | null>((first, { time }) => Math.min(first ?? time, time), null),
            covering: nonEmptyCoverage.find((one) => one.subject === subject) ?? {},
            sources: subjectEvents.map(({ source }) => locked.sources.get(source)!)
          }
        })
        const seriesChanges = yield* computeChanges(kind.name, writes)
        const changes = yield* insertEvents(sql, write, removed, locked)
        yield* runFailpoint
        yield* storeCoverage(sql, seriesChanges, changes)
        return toWriteResult(changes)
      })
  }
}
