import { PgClient } from "@effect/sql-pg"
import type { StatementOptions, StoreUnavailable } from "@tapeline/core/engine"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type Aside, makeAside } from "../connection/SideSessions.ts"
import { unavailable } from "../errors.ts"
import { orWithout } from "../heldRows.ts"

/** How long a batch waits for a month that somebody holds before it does without, when its caller says nothing. */
const patienceMs = 50

type Values = Parameters<PgClient.PgClient["unsafe"]>[1]

/** Failures after which the database has undone the whole statement, and which another try may not meet. */
const isConflict = (error: SqlError): boolean =>
  ["DeadlockError", "SerializationError", "UniqueViolation"].includes(error.reason._tag)

/** The instant that a caller gives in place of the database's own, as a statement takes it. */
export const instantOf = (options: StatementOptions | undefined): string | null =>
  options?.at === undefined ? null : String(Math.floor(options.at))

/** How the ledger's statements are run. */
export const makeStatements = Effect.gen(function*() {
  const sql = yield* PgClient.PgClient
  const aside = yield* makeAside
  const guard = unavailable("LedgerStore")
  const inTransaction = Effect.serviceOption(sql.transactionService).pipe(
    Effect.map((found) => found._tag === "Some")
  )

  /** Tries a statement again after a conflict; within a transaction it cannot be, for that is lost with it. */
  const whole = <A>(statement: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> =>
    Effect.flatMap(
      inTransaction,
      (inside) => inside ? statement : Effect.retry(statement, { times: 5, while: isConflict })
    )

  /**
   * A statement that does without what it does not get in time; null when it cannot do without it. Within a
   * transaction, which a lock that is waited for in vain would end, it does without at once.
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

  /** A statement of rows, on a session beside those of calls unless `by` says otherwise. */
  const one = <Row extends object>(text: string, parameters: Values, by: Aside["change"] = aside.run) =>
    guard(whole(by((sql) => sql.unsafe<Row>(text, parameters))))

  return { sql, aside, guard, whole, patiently, one }
})

export type Statements = Effect.Success<typeof makeStatements>
