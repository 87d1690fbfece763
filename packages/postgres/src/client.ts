import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { type DataDirLocked, openPglite, type Pglite, type PgliteOptions, type PgliteUnavailable } from "./pglite.ts"

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, with libpq's parameters. */
  readonly url: Redacted.Redacted | string
  /** At most this many connections; 10 by default. One more listens for changes. */
  readonly maxConnections?: number
  readonly applicationName?: string
  /**
   * A statement that takes longer, as one that waits for a lock, is cancelled and fails; statements pipelined behind it
   * on its connection wait no longer than that. No bound when left out.
   */
  readonly statementTimeoutMs?: number
}

/**
 * A client of a PostgreSQL server. Statements of several fibers are pipelined on each connection; a transaction takes
 * one for itself. Connections are opened when they are needed, so this fails only on a wrong configuration.
 */
export const layerPostgres = (
  options: PostgresOptions
): Layer.Layer<PgClient.PgClient | SqlClient, SqlError> =>
  PgClient.layerFrom(Effect.map(
    PgClient.make({
      url: typeof options.url === "string" ? Redacted.make(options.url) : options.url,
      maxConnections: options.maxConnections ?? 10,
      multiplex: true,
      applicationName: options.applicationName ?? "tapeline",
      // An answer is acknowledged only once it is on disk, whatever the server's default says.
      startupParameters: {
        synchronous_commit: "on",
        ...(options.statementTimeoutMs === undefined ? {} : { statement_timeout: String(options.statementTimeoutMs) })
      }
    }),
    (client) => Object.assign(client, { driver: "pg" })
  ))

/** The client of an opened PGlite. */
export const makePgliteClient = (pglite: Pglite) =>
  Effect.map(
    PgClient.make({
      stream: pglite.connect,
      username: "postgres",
      database: "postgres",
      // The session lives as long as the database, so its one connection is never given up for idleness.
      minConnections: 1,
      maxConnections: 1,
      idleTimeout: "3650 days",
      connectTimeout: "30 seconds",
      multiplex: true,
      multiplexConcurrency: 128
    }),
    (client) => Object.assign(client, { driver: "pglite" })
  )

/**
 * The same client over an embedded PGlite, which has one session: statements are pipelined on it, and a transaction
 * holds up all others while it lasts. A data folder serves one process at a time.
 */
export const layerPglite = (
  options: PgliteOptions
): Layer.Layer<PgClient.PgClient | SqlClient, SqlError | DataDirLocked | PgliteUnavailable> =>
  PgClient.layerFrom(Effect.flatMap(openPglite(options), makePgliteClient))
