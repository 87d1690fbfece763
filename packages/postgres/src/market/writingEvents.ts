import type { PgClient } from "@effect/sql-pg"
import type { EventRow, EventsKind, EventsWrite } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { bigints, booleans, float8s, texts } from "../parameters.ts"
import { type Changes, judge, putCoverage, type Said, written } from "./covering.ts"
import { type Locked, lockWrite } from "./locking.ts"
import type { Once } from "./once.ts"
import { byKind, columnsFrom, ownSubject, replacing } from "./tables.ts"

/** Selects the subjects of existing events. */
export const subjectsOfEvents = byKind<EventsKind>(({ table }) =>
  `select distinct s.subject from ${table} t join market_series s on s.id = t.series where t.id = any ($1::text[])`
)

/** Selects the ids of events that begin with a text that ends in "/". The character after "/" is "0". */
const idsUnder = byKind<EventsKind>(({ table }) =>
  `select distinct t.id from unnest($1::text[]) as b (beginning) join ${table} t
    on t.id >= b.beginning collate "C" and t.id < (left(b.beginning, -1) || '0') collate "C"`
)

/** Returns the ids of events to remove, including those with the given beginnings. */
const removedBy = <Column extends string>(
  sql: PgClient.PgClient,
  { events, kind, removed = [], removedUnder = [] }: EventsWrite<Column>
) => {
  if (removedUnder.length === 0) return Effect.succeed(removed)
  const given = new Set(events.map(({ id }) => id))
  return Effect.map(
    sql.unsafe<{ readonly id: string }>(idsUnder(kind), [texts(removedUnder)]),
    (found) => [...new Set([...removed, ...found.map(({ id }) => id).filter((id) => !given.has(id))])]
  )
}

/** Writes events as columns. Removes the rows of the same ids that are not among the new rows. */
export const putEvents = byKind<EventsKind>(({ columns, table }) => {
  const rest = ["source", "leads", "label", "document", ...columns]
  return `with n as materialized (
    select * from unnest($2::bigint[], $3::integer[], $4::text[], $5::smallint[], $6::boolean[], $7::text[],
      $8::text[], ${columnsFrom(9, columns)}) as n (time, series, id, ${rest.join(", ")})
  ), gone as (
    delete from ${table} t where t.id = any ($1::text[]) and not exists (
      select from n where n.id = t.id and n.series = t.series and n.time = t.time
    )
    returning t.series, t.time, t.id
  ), put as (
    insert into ${table} as t (time, series, id, ${rest.join(", ")}) select * from n order by series, time, id
    ${replacing("series, time, id", rest)}
    returning series, time, id
  )
  select series, min(time)::float8 as first, count(distinct id)::integer as changed
  from (select * from gone union all select * from put) c group by series`
})

/** An event for one of its subjects, or for `ownSubject` if it has none. */
interface Part<Column extends string> {
  readonly event: EventRow<Column>
  readonly subject: string
  readonly leading: boolean
}

const partsOf = <Column extends string>(event: EventRow<Column>): ReadonlyArray<Part<Column>> =>
  (event.subjects.length === 0 ? [ownSubject] : event.subjects).map((subject, i) => ({
    event,
    subject,
    leading: i === 0
  }))

const addEvents = <Column extends string>(
  sql: PgClient.PgClient,
  { kind, events }: EventsWrite<Column>,
  removed: ReadonlyArray<string>,
  { series, sources }: Locked
) => {
  const parts = events.flatMap(partsOf)
  return sql.unsafe<Changes>(putEvents(kind), [
    texts([...events.map(({ id }) => id), ...removed]),
    bigints(parts.map(({ event }) => event.time)),
    bigints(parts.map(({ subject }) => series.get(subject)!.id)),
    texts(parts.map(({ event }) => event.id)),
    bigints(parts.map(({ event }) => sources.get(event.source)!)),
    booleans(parts.map(({ leading }) => leading)),
    texts(parts.map(({ event }) => event.label)),
    texts(parts.map(({ event }) => event.document)),
    ...kind.columns.map((name) => float8s(parts.map(({ event }) => event[name])))
  ])
}

export const eventsOnce = <Column extends string>(write: EventsWrite<Column>): Once => {
  const { covering = [], events, kind } = write
  const filled = covering.filter(({ covers = [], lost = [] }) => covers.length + lost.length > 0)
  const subjects = new Set([
    ownSubject,
    ...filled.map(({ subject }) => subject),
    ...events.flatMap((one) => one.subjects)
  ])
  const needs = {
    kind,
    subjects: [...subjects],
    sources: events.map(({ source }) => source),
    times: events.map(({ time }) => time)
  }
  return {
    fence: write.fence,
    needs,
    run: (sql, within) =>
      Effect.gen(function*() {
        // From here on, no other transaction writes events of the kind, so that the subjects found below are complete.
        yield* lockWrite(sql, { kind, subjects: [ownSubject], sources: [], times: [] })
        const removed = yield* removedBy(sql, write)
        const before = yield* sql.unsafe<{ readonly subject: string }>(subjectsOfEvents(kind), [
          texts([...events.map(({ id }) => id), ...removed])
        ])
        const all = new Set([...subjects, ...before.map(({ subject }) => subject)])
        const locked = yield* lockWrite(sql, { ...needs, subjects: [...all] })
        const said = [...all].filter((subject) => subject !== ownSubject).map((subject): Said => {
          const about = events.filter((event) => event.subjects.includes(subject))
          return {
            row: locked.series.get(subject)!,
            firstRow: about.reduce<number | null>((first, { time }) => Math.min(first ?? time, time), null),
            covering: filled.find((one) => one.subject === subject) ?? {},
            sources: about.map(({ source }) => locked.sources.get(source)!)
          }
        })
        const judged = yield* judge(kind.name, said)
        const changes = yield* addEvents(sql, write, removed, locked)
        yield* within
        yield* putCoverage(sql, judged, changes)
        return written(changes)
      })
  }
}
