import { Data, Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

/** The database rejected a statement of a migration. `number` is the position of the statement, from 1 to `total`. */
export class StatementFailed extends Data.TaggedError("StatementFailed")<{
  readonly number: number
  readonly total: number
  readonly text: string
  readonly cause: SqlError
}> {}

/**
 * Runs SQL statements one after another, because PostgreSQL's protocol accepts only one unprepared statement at a time.
 */
export const statements = (...texts: ReadonlyArray<string>): Effect.Effect<void, StatementFailed, SqlClient> =>
  Effect.flatMap(SqlClient, (sql) =>
    Effect.forEach(
      texts,
      (text, i) =>
        Effect.mapError(
          sql.unsafe(text).unprepared,
          (cause) => new StatementFailed({ number: i + 1, total: texts.length, text, cause })
        ),
      { discard: true }
    ))
