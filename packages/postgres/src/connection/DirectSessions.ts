import type { PgClient, PgConnection } from "@effect/sql-pg"
import { Context, type Effect, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"

/**
 * Sessions that no pooler stands before, and that have more time than a call has. Null where the client is not one of
 * `layerPostgres`; then its own sessions serve.
 */
export const DirectSessions = Context.Reference<
  {
    /** Whether they go another way than the statements of the stores. */
    readonly apart: boolean
    /** For migrations, and whatever else is done at a start. */
    readonly client: PgClient.PgClient
    /** How long a start may take. */
    readonly withinMs: number
    /** A session of one's own, for listening. */
    readonly open: Effect.Effect<PgConnection.PgConnection, SqlError, Scope.Scope>
  } | null
>("@tapeline/postgres/connection/DirectSessions", { defaultValue: () => null })
