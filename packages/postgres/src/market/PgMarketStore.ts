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
  MarketStore,
  MarketStoreFailpoints,
  marketStoreLimits,
  type MarketStoreRefusal,
  type MarketWrite,
  readTooLarge,
  type SubjectsFilter,
  type Superseded,
  withMarketFailpoints,
  type WriteResult
} from "@tapeline/core/market/store"
import { Effect, Layer, Result } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { makeBackgroundPool } from "../connection/sessions.ts"
import { hasCode, mapSqlErrors } from "../errors.ts"
import { texts } from "../parameters.ts"
import { makeLockRetry, type OrRowLocked, runTransaction } from "../rowLocks.ts"
import { makeDocumentsTransaction } from "./documentWrites.ts"
import { readEvents, readTallies } from "./eventReads.ts"
import { makeEventsTransaction } from "./eventWrites.ts"
import { acquireLease, releaseLease } from "./leases.ts"
import { readFolded, readLatest, readPoints } from "./pointReads.ts"
import { makePointsTransaction } from "./pointWrites.ts"
import { attemptPrune } from "./pruning.ts"
import {
  type AnyKind,
  findGaps,
  readSeriesColumns,
  type ReadSeriesRow,
  selectRequestedSeries,
  toRecord
} from "./tables.ts"
import { createRequirements, lockWriteFence, type MarketWriteTransaction } from "./writeLocks.ts"

type Sql = PgClient.PgClient

export const selectSeries = `with s as (${selectRequestedSeries}) select ${readSeriesColumns} from s`

const querySeries = (sql: Sql, kind: AnyKind, subjects: ReadonlyArray<string> | undefined) =>
  sql.unsafe<ReadSeriesRow>(selectSeries, [kind.name, subjects === undefined ? null : texts(subjects)])

const readRecorded = (sql: Sql, { kind, subjects }: SubjectsFilter & { readonly kind: AnyKind }) =>
  Effect.map(querySeries(sql, kind, subjects), (rows) => new Map(rows.map((row) => [row.subject, toRecord(row)])))

const readGaps = Effect.fnUntraced(function*(sql: Sql, { kind, subjects, ...interval }: GapsQuery) {
  yield* checkQuery(kind.name, interval, 0)
  const rowBySubject = new Map((yield* querySeries(sql, kind, subjects)).map((row) => [row.subject, row]))
  const missing = interval.from === interval.to ? [] : [{ from: interval.from, to: interval.to }]
  return new Map(subjects.map((subject) => {
    const row = rowBySubject.get(subject)
    return [subject, row === undefined ? { lost: [], missing } : findGaps(row, interval)]
  }))
})

export const selectDocuments = `with d as (
    select * from market_documents where kind = $1 and ($2::text[] is null or key = any ($2::text[]))
  ), b as (select coalesce(sum(octet_length(document)), 0) as bytes from d)
  select d.key, d.time::float8 as time, m.name as source, b.bytes::float8 as bytes,
    case when b.bytes <= ${marketStoreLimits.maxTotalDocumentBytes} then d.document else '' end as document
  from d cross join b join market_sources m on m.id = d.source`

const readDocuments = Effect.fnUntraced(function*(sql: Sql, { keys, kind }: DocumentsQuery) {
  const rows = yield* sql.unsafe<DocumentRow & { readonly bytes: number }>(selectDocuments, [
    kind.name,
    keys === undefined ? null : texts(keys)
  ])
  if (rows.some(({ bytes }) => bytes > marketStoreLimits.maxTotalDocumentBytes)) {
    return yield* readTooLarge(kind.name, `documents of more than ${marketStoreLimits.maxTotalDocumentBytes} bytes`)
  }
  return new Map(rows.map(({ document, key, source, time }) => [key, { key, time, source, document }]))
})

/**
 * PostgreSQL's error code for a row that belongs to no partition. The code also reports violated check constraints, but
 * market tables have no check constraints.
 */
const noPartitionSqlState = "23514"

/**
 * The maximum number of attempts of a write. A write is repeated if rows or partitions that the write needs were
 * deleted.
 */
const maxAttempts = 5

const makeWriter = (
  runChange: ReturnType<typeof makeLockRetry>,
  run: <A, E>(use: (sql: Sql) => Effect.Effect<A, E>) => Effect.Effect<A, E>
) => {
  const mapErrors = mapSqlErrors("MarketStore")
  type TransactionResult = Result.Result<WriteResult | "RowsMissing", Superseded | MarketStoreRefusal>
  const makeTransaction =
    (write: MarketWriteTransaction, runFailpoint: Effect.Effect<void, StoreUnavailable>) => (sql: Sql) =>
      runTransaction<TransactionResult>(
        sql,
        Effect.andThen(lockWriteFence(sql, write.fence), write.run(sql, runFailpoint)).pipe(
          Effect.map((written): TransactionResult => Result.succeed(written)),
          Effect.catchTags({
            RowsMissing: () => Effect.succeed<TransactionResult>(Result.succeed("RowsMissing")),
            Superseded: (error) => Effect.succeed<TransactionResult>(Result.fail(error)),
            MarketStoreRefusal: (error) => Effect.succeed<TransactionResult>(Result.fail(error))
          })
        )
      ).pipe(
        // A partition was dropped as old after the write had found the partition, so the transaction is rolled back.
        Effect.catchIf(
          (error) => isSqlError(error) && hasCode(error, noPartitionSqlState),
          () => Effect.succeed<TransactionResult>(Result.succeed("RowsMissing"))
        )
      )
  return Effect.fnUntraced(
    function*(write: MarketWriteTransaction, runFailpoint: Effect.Effect<void, StoreUnavailable>) {
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        const result: TransactionResult = yield* runChange(
          run<OrRowLocked<TransactionResult>, SqlError | StoreUnavailable>(makeTransaction(write, runFailpoint)),
          { retriesConflicts: true }
        )
        const written = yield* Effect.fromResult(result)
        if (written !== "RowsMissing") return written
        yield* mapErrors(run((sql) => createRequirements(sql, write.requirements)))
      }
      const cause = new Error("In each attempt, another transaction deleted rows that the write had created for itself")
      return yield* new StoreUnavailable({ store: "MarketStore", cause })
    }
  )
}

/**
 * Implements `MarketStore` with PostgreSQL or PGlite. Lease times come from the database's clock. Writes run on
 * background sessions.
 */
export const PgMarketStore: Layer.Layer<MarketStore, never, PgClient.PgClient> = Layer.effect(
  MarketStore,
  Effect.gen(function*() {
    const [sql, failpoints, backgroundPool] = yield* Effect.all([
      PgClient.PgClient,
      MarketStoreFailpoints,
      makeBackgroundPool
    ])
    const mapErrors = mapSqlErrors("MarketStore")
    const runChange = makeLockRetry("MarketStore")
    const withFailpointsOf = withMarketFailpoints(failpoints)
    const runWrite = makeWriter(runChange, backgroundPool.run)
    const writeWithFailpoints = (
      name: MarketWrite & ("points" | "events" | "documents"),
      write: MarketWriteTransaction
    ) => withFailpointsOf(name, runWrite(write, Effect.suspend(() => failpoints(`within:${name}`))))
    return {
      acquireLeadership: (query) =>
        Effect.andThen(
          checkLead(query),
          withFailpointsOf("lead", mapErrors(backgroundPool.runWithLockTimeout((sql) => acquireLease(sql, query))))
        ),
      resignLeadership: (fence) =>
        withFailpointsOf("resign", mapErrors(backgroundPool.runWithLockTimeout((sql) => releaseLease(sql, fence)))),
      writePoints: (points) =>
        Effect.andThen(checkPoints(points), writeWithFailpoints("points", makePointsTransaction(points))),
      writeEvents: (events) =>
        Effect.andThen(checkEvents(events), writeWithFailpoints("events", makeEventsTransaction(events))),
      writeDocuments: (documents) =>
        Effect.andThen(
          checkDocuments(documents),
          writeWithFailpoints("documents", makeDocumentsTransaction(documents))
        ),
      points: (query) => mapErrors(readPoints(sql, query)),
      foldedPoints: (query) => mapErrors(readFolded(sql, query)),
      latest: (query) => mapErrors(readLatest(sql, query)),
      events: (query) => mapErrors(readEvents(sql, query)),
      tallies: (query) => mapErrors(readTallies(sql, query)),
      documents: (query) => mapErrors(readDocuments(sql, query)),
      records: (query) => mapErrors(readRecorded(sql, query)),
      gaps: (query) => mapErrors(readGaps(sql, query)),
      prune: ({ before, kind }) =>
        Effect.andThen(
          checkQuery(kind.name, { from: before, to: before }, 0),
          withFailpointsOf(
            "prune",
            runChange(
              backgroundPool.run((sql) =>
                runTransaction(sql, attemptPrune(sql, kind, before, Effect.suspend(() => failpoints("within:prune"))))
              )
            )
          )
        )
    }
  })
)
