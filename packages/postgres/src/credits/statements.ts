import { PgClient } from "@effect/sql-pg"
import type { StatementOptions, StoreUnavailable } from "@tapeline/core/engine"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type Aside, makeAside } from "../connection/SideSessions.ts"
import { unavailable } from "../errors.ts"
import { orWithout } from "../heldRows.ts"

/** How long a batch waits for a held month before it skips that month, by default. */
const patienceMs = 50

type Values = Parameters<PgClient.PgClient["unsafe"]>[1]

/** Whether the database has undone the whole statement because of a conflict, which a retry may not meet. */
const isConflict = (error: SqlError): boolean =>
  ["DeadlockError", "SerializationError", "UniqueViolation"].includes(error.reason._tag)

/** The time that a caller gives in place of the database's, as a parameter. */
export const instantOf = (options: StatementOptions | undefined): string | null =>
  options?.at === undefined ? null : String(Math.floor(options.at))

/** Makes the functions that run the ledger's statements. */
export const makeStatements = Effect.gen(function*() {
  const sql = yield* PgClient.PgClient
  const aside = yield* makeAside
  const guard = unavailable("LedgerStore")
  const inTransaction = Effect.serviceOption(sql.transactionService).pipe(
    Effect.map((found) => found._tag === "Some")
  )

  /**
   * Retries a statement after a conflict. Within a transaction this is not possible, because the conflict ends the
   * transaction.
   */
  const whole = <A>(statement: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> =>
    Effect.flatMap(
      inTransaction,
      (inside) => inside ? statement : Effect.retry(statement, { times: 5, while: isConflict })
    )

  /**
   * Runs a statement that skips the rows that it does not get in time; null if it cannot skip them. Within a
   * transaction, it skips them at once, because a lock timeout would end the transaction.
   */
  const patiently = <Row>(
    statement: (waitMs: number | null) => Effect.Effect<ReadonlyArray<Row>, SqlError>,
    options: StatementOptions | undefined,
    alone: boolean
  ): Effect.Effect<ReadonlyArray<Row> | null, StoreUnavailable> =>
    guard(Effect.flatMap(inTransaction, (inside) =>
      inside
        ? statement(null)
        : orWithout((waitMs) => whole(statement(waitMs)), options?.waitMs ?? patienceMs, alone)))

  /** Runs a statement that returns rows, by default apart from the sessions of calls. */
  const one = <Row extends object>(text: string, parameters: Values, by: Aside["change"] = aside.run) =>
    guard(whole(by((sql) => sql.unsafe<Row>(text, parameters))))

  return { sql, aside, guard, whole, patiently, one }
})

export type Statements = Effect.Success<typeof makeStatements>
