import { PgClient } from "@effect/sql-pg"
import type { StatementOptions, StoreUnavailable } from "@tapeline/core/engine"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type BackgroundPool, makeBackgroundPool } from "../connection/sessions.ts"
import { mapSqlErrors } from "../errors.ts"
import { runOrSkipLocked } from "../rowLocks.ts"

/** The default time in ms that a batch waits for a locked month before skipping the month. */
const defaultLockWaitMs = 50

type SqlParameters = Parameters<PgClient.PgClient["unsafe"]>[1]

const isConflict = (error: SqlError): boolean =>
  ["DeadlockError", "SerializationError", "UniqueViolation"].includes(error.reason._tag)

/** Returns the statement parameter for the current time. Null means that the statement uses the database's clock. */
export const toInstantParameter = (options: StatementOptions | undefined): string | null =>
  options?.at === undefined ? null : String(Math.floor(options.at))

export const makeStatements = Effect.gen(function*() {
  const sql = yield* PgClient.PgClient
  const backgroundPool = yield* makeBackgroundPool
  const mapErrors = mapSqlErrors("LedgerStore")
  const inTransaction = Effect.serviceOption(sql.transactionService).pipe(
    Effect.map((found) => found._tag === "Some")
  )

  /** Retries a statement after a conflict, except within a transaction, because a conflict ends the transaction. */
  const retryConflicts = <A>(statement: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> =>
    Effect.flatMap(
      inTransaction,
      (isInside) => isInside ? statement : Effect.retry(statement, { times: 5, while: isConflict })
    )

  /**
   * Runs a statement, and skips rows that stay locked. Returns null if the statement could not skip a locked row.
   * Within a transaction, locked rows are skipped at once, because a lock timeout would end the transaction.
   */
  const runSkippingLocked = <Row>(
    statement: (waitMs: number | null) => Effect.Effect<ReadonlyArray<Row>, SqlError>,
    options: StatementOptions | undefined,
    isSingleLock: boolean
  ): Effect.Effect<ReadonlyArray<Row> | null, StoreUnavailable> =>
    mapErrors(Effect.flatMap(inTransaction, (isInside) =>
      isInside
        ? statement(null)
        : runOrSkipLocked(
          (waitMs) => retryConflicts(statement(waitMs)),
          options?.waitMs ?? defaultLockWaitMs,
          isSingleLock
        )))

  /** Runs a statement and returns its rows, by default on a background session. */
  const queryRows = <Row extends object>(
    text: string,
    parameters: SqlParameters,
    run: BackgroundPool["runWithLockTimeout"] = backgroundPool.run
  ) => mapErrors(retryConflicts(run((sql) => sql.unsafe<Row>(text, parameters))))

  return {
    sql,
    backgroundPool,
    mapErrors,
    retryConflicts,
    runSkippingLocked,
    queryRows
  }
})

export type Statements = Effect.Success<typeof makeStatements>
