import { PgClient } from "@effect/sql-pg"
import { StoreUnavailable } from "@tapeline/core/engine"
import {
  checkDocuments,
  checkEvents,
  checkLead,
  checkPoints,
  checkQuery,
  type DocumentRow,
  type DocumentsQuery,
  type GapsQuery,
  marketBounds,
  MarketStore,
  MarketStoreFailpoints,
  type MarketStoreRefusal,
  type MarketWrite,
  type OfSubjects,
  type Superseded,
  tooMuch,
  withMarketFailpoints,
  type Written
} from "@tapeline/core/market/store"
import { Effect, Layer, Result } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { makeAside } from "../connection/SideSessions.ts"
import { hasCode, unavailable } from "../errors.ts"
import { texts } from "../parameters.ts"
import { type OrHeld, patiently, wholly } from "../patiently.ts"
import { leadOnce, resignOnce } from "./leading.ts"
import { makeNeeds, NotMade, underFence } from "./locking.ts"
import type { Once } from "./once.ts"
import { pruneOnce } from "./pruning.ts"
import { readEvents, readTallies } from "./readingEvents.ts"
import { readFolded, readLatest, readPoints } from "./readingPoints.ts"
import { askedSeries, gapsOf, recordOf, toldColumns, type ToldRow } from "./series.ts"
import type { AnyKind } from "./tables.ts"
import { documentsOnce } from "./writingDocuments.ts"
import { eventsOnce } from "./writingEvents.ts"
import { pointsOnce } from "./writingPoints.ts"

type Sql = PgClient.PgClient

export const selectSeries = `with s as (${askedSeries}) select ${toldColumns} from s`

const seriesOf = (sql: Sql, kind: AnyKind, subjects: ReadonlyArray<string> | undefined) =>
  sql.unsafe<ToldRow>(selectSeries, [kind.name, subjects === undefined ? null : texts(subjects)])

const readRecorded = (sql: Sql, { kind, subjects }: OfSubjects & { readonly kind: AnyKind }) =>
  Effect.map(seriesOf(sql, kind, subjects), (rows) => new Map(rows.map((row) => [row.subject, recordOf(row)])))

const readGaps = Effect.fnUntraced(function*(sql: Sql, { kind, subjects, ...interval }: GapsQuery) {
  yield* checkQuery(kind.name, interval, 0)
  const known = new Map((yield* seriesOf(sql, kind, subjects)).map((row) => [row.subject, row]))
  const missing = interval.from === interval.to ? [] : [{ from: interval.from, to: interval.to }]
  return new Map(subjects.map((subject) => {
    const row = known.get(subject)
    return [subject, row === undefined ? { lost: [], missing } : gapsOf(row, interval)]
  }))
})

export const selectDocuments = `with d as (
    select * from market_documents where kind = $1 and ($2::text[] is null or key = any ($2::text[]))
  ), b as (select coalesce(sum(octet_length(document)), 0) as bytes from d)
  select d.key, d.time::float8 as time, m.name as source, b.bytes::float8 as bytes,
    case when b.bytes <= ${marketBounds.bytesAtOnce} then d.document else '' end as document
  from d cross join b join market_sources m on m.id = d.source`

const readDocuments = Effect.fnUntraced(function*(sql: Sql, { keys, kind }: DocumentsQuery) {
  const rows = yield* sql.unsafe<DocumentRow & { readonly bytes: number }>(selectDocuments, [
    kind.name,
    keys === undefined ? null : texts(keys)
  ])
  if (rows.some(({ bytes }) => bytes > marketBounds.bytesAtOnce)) {
    return yield* tooMuch(kind.name, `documents of more than ${marketBounds.bytesAtOnce} bytes`)
  }
  return new Map(rows.map(({ document, key, source, time }) => [key, { key, time, source, document }]))
})

/**
 * SQLSTATE of a row for which its table has no partition. A violated check has the same code, but these tables have no
 * checks.
 */
const noPartition = "23514"

/** Maximum number of attempts to make what a write needs, while others work on it as well. */
const attempts = 5

const makeWrite = (
  change: ReturnType<typeof patiently>,
  run: <A, E>(use: (sql: Sql) => Effect.Effect<A, E>) => Effect.Effect<A, E>
) => {
  const guard = unavailable("MarketStore")
  type Came = Result.Result<Written | "NotMade", Superseded | MarketStoreRefusal>
  const transaction = (once: Once, within: Effect.Effect<void, StoreUnavailable>) => (sql: Sql) =>
    wholly<Came>(
      sql,
      Effect.andThen(underFence(sql, once.fence), once.run(sql, within)).pipe(
        Effect.map((written): Came => Result.succeed(written)),
        // A partition was dropped as old after it was found.
        Effect.catchIf((error) => isSqlError(error) && hasCode(error, noPartition), () => new NotMade()),
        Effect.catchTags({
          NotMade: () => Effect.succeed<Came>(Result.succeed("NotMade")),
          Superseded: (error) => Effect.succeed<Came>(Result.fail(error)),
          MarketStoreRefusal: (error) => Effect.succeed<Came>(Result.fail(error))
        })
      )
    )
  return Effect.fnUntraced(function*(once: Once, within: Effect.Effect<void, StoreUnavailable>) {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const came: Came = yield* change(
        run<OrHeld<Came>, SqlError | StoreUnavailable>(transaction(once, within)),
        { again: true }
      )
      const written = yield* Effect.fromResult(came)
      if (written !== "NotMade") return written
      yield* guard(run((sql) => makeNeeds(sql, once.needs)))
    }
    const cause = new Error("What a write needs was gone as often as it was made")
    return yield* new StoreUnavailable({ store: "MarketStore", cause })
  })
}

/**
 * `MarketStore` on PostgreSQL or PGlite, on a current schema. Times of leases are the database's. Writes run apart from
 * the sessions of calls.
 */
export const PgMarketStore: Layer.Layer<MarketStore, never, PgClient.PgClient> = Layer.effect(
  MarketStore,
  Effect.gen(function*() {
    const [sql, hook, aside] = yield* Effect.all([PgClient.PgClient, MarketStoreFailpoints, makeAside])
    const guard = unavailable("MarketStore")
    const change = patiently("MarketStore")
    const named = withMarketFailpoints(hook)
    const write = makeWrite(change, aside.run)
    const put = (name: MarketWrite & ("points" | "events" | "documents"), once: Once) =>
      named(name, write(once, Effect.suspend(() => hook(`within:${name}`))))
    return {
      lead: (query) =>
        Effect.andThen(checkLead(query), named("lead", guard(aside.change((sql) => leadOnce(sql, query))))),
      resign: (fence) => named("resign", guard(aside.change((sql) => resignOnce(sql, fence)))),
      writePoints: (given) => Effect.andThen(checkPoints(given), put("points", pointsOnce(given))),
      writeEvents: (given) => Effect.andThen(checkEvents(given), put("events", eventsOnce(given))),
      writeDocuments: (given) => Effect.andThen(checkDocuments(given), put("documents", documentsOnce(given))),
      points: (query) => guard(readPoints(sql, query)),
      folded: (query) => guard(readFolded(sql, query)),
      latest: (query) => guard(readLatest(sql, query)),
      events: (query) => guard(readEvents(sql, query)),
      tallies: (query) => guard(readTallies(sql, query)),
      documents: (query) => guard(readDocuments(sql, query)),
      recorded: (query) => guard(readRecorded(sql, query)),
      gaps: (query) => guard(readGaps(sql, query)),
      prune: ({ before, kind }) =>
        Effect.andThen(
          checkQuery(kind.name, { from: before, to: before }, 0),
          named(
            "prune",
            change(
              aside.run((sql) => wholly(sql, pruneOnce(sql, kind, before, Effect.suspend(() => hook("within:prune")))))
            )
          )
        )
    }
  })
)
