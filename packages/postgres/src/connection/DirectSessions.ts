import type { PgClient, PgConnection } from "@effect/sql-pg"
import { Context, type Effect, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"

/**
 * Sessions without a pooler, with more time than a call has. Null if the client is not one of `layerPostgres`. The
 * client's own sessions are used then.
 */
export const DirectSessions = Context.Reference<
  {
    /** Whether they use another URL than the statements of the stores. */
    readonly apart: boolean
    /** For migrations and other work at a start. */
    readonly client: PgClient.PgClient
    /** The time limit of a start, in ms. */
    readonly withinMs: number
    /** A separate session, for listening. */
    readonly open: Effect.Effect<PgConnection.PgConnection, SqlError, Scope.Scope>
  } | null
>("@tapeline/postgres/connection/DirectSessions", { defaultValue: () => null })
