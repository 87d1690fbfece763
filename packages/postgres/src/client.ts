import { PgClient, PgConnection } from "@effect/sql-pg"
import { Context, Effect, Layer, Redacted, type Scope } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { EmbeddedFiles } from "./backup/EmbeddedFiles.ts"
import { type Address, InvalidDatabaseUrl, parseAddress } from "./connection/address.ts"
import { PgSocket } from "./connection/PgSocket.ts"
import { toServerTimeoutMs } from "./connection/ResponseWatchdog.ts"
import { BackgroundSessions, DirectSessions } from "./connection/sessions.ts"
import { DiskSpaceCheck, makeDiskSpaceCheck } from "./diskSpaceCheck.ts"
import { scheduleMaintenance } from "./maintenance.ts"
import { type DataDirLocked, openPglite, type Pglite, type PgliteOptions, type PgliteUnavailable } from "./pglite.ts"

export { InvalidDatabaseUrl } from "./connection/address.ts"
export { describeFailure } from "./connection/describeFailure.ts"

/** The services that a database layer provides to the stores. */
export type Database = PgClient.PgClient | SqlClient

/** The errors with which the layer of a PostgreSQL server or an embedded database can fail. */
export type DatabaseError = SqlError | InvalidDatabaseUrl | DataDirLocked | PgliteUnavailable

export interface PostgresOptions {
  /** The database URL `postgres://user:password@host:port/database`, with libpq's parameters (see `parseAddress`). */
  readonly url: Redacted.Redacted | string
  /**
   * The URL of the same database without a pooler. Listening and migrations use the direct URL, because they need
   * sessions of their own. If `directUrl` is set, `url` is assumed to be the URL of a pooler.
   */
  readonly directUrl?: Redacted.Redacted | string | undefined
  /**
   * Whether `url` is the URL of a pooler such as PgBouncer; by default, the first connection detects a pooler. With a
   * pooler, the client does not prepare statements by name.
   */
  readonly pooled?: boolean | undefined
  /**
   * The maximum number of connections for calls, 10 by default. Each process opens further connections: up to
   * `maxBackgroundConnections`, two for health checks and listening, and two at startup.
   */
  readonly maxConnections?: number | undefined
  /** The maximum number of connections for administration and other background work, 3 by default. */
  readonly maxBackgroundConnections?: number | undefined
  readonly applicationName?: string | undefined
  /**
   * The time limit of a statement in ms, without limit by default. The server ends a statement after four fifths of the
   * time limit. A session that does not respond within the time limit of a statement is closed.
   */
  readonly statementTimeoutMs?: number | undefined
  /** The time limit of a statement at startup in ms, 30 minutes by default. A migration may rewrite a large table. */
  readonly startTimeoutMs?: number | undefined
}

/**
 * The maximum time for connecting, as a share of the statement time limit. A `connect_timeout` in the database URL
 * replaces the computed timeout.
 */
const connectTimeoutShare = 0.8

const defaultStartTimeoutMs = 30 * 60_000
const defaultListenTimeoutMs = 5_000

interface DatabaseAddress {
  readonly url: Redacted.Redacted<string>
  readonly address: Address
}

const readDatabaseAddress = (
  url: Redacted.Redacted | string,
  isDirect: boolean
): Effect.Effect<DatabaseAddress, InvalidDatabaseUrl> =>
  Effect.suspend(() => {
    const text = typeof url === "string" ? url : Redacted.value(url)
    const address = parseAddress(text, isDirect)
    return address instanceof InvalidDatabaseUrl
      ? Effect.fail(address)
      : Effect.succeed({ url: Redacted.make(text), address })
  })

/** Creates the settings of database sessions. `PgSocket` opens the connections and handles TLS. */
const makeSessionConfig = (
  { address, url }: DatabaseAddress,
  { responseTimeoutMs, applicationName, hasServerTimeout = false }: {
    readonly applicationName: string | undefined
    readonly responseTimeoutMs: number | undefined
    readonly hasServerTimeout?: boolean
  }
) => {
  const shared = {
    address,
    responseTimeoutMs,
    hasServerTimeout,
    openSockets: new Set<PgSocket>(),
    unresponsiveUntil: 0
  }
  return {
    url,
    ssl: false,
    stream: () => new PgSocket(shared),
    applicationName: applicationName ?? "tapeline"
  } satisfies PgConnection.Config
}

/**
 * Returns whether a connection leads to a pooler. Behind a pooler, the backend's process id differs from the id that
 * the connection received. Returns true if the query fails. Statements for poolers also work without a pooler.
 */
const isPooled = (config: PgConnection.Config): Effect.Effect<boolean> =>
  Effect.scoped(Effect.flatMap(PgConnection.make(config), (session) =>
    Effect.map(
      session.query("select pg_backend_pid()::integer as pid", [], false),
      ({ rows }) => rows[0]?.["pid"] !== session.processId
    ))).pipe(Effect.orElseSucceed(() => true))

/**
 * Creates a client whose `reserve` opens a new connection, and closes the connection when the scope closes. A pooled
 * connection could return to the pool while its statements still run. The next user of the connection would then read
 * wrong results, and wait forever.
 */
const makePostgresClient = (config: PgClient.PgPoolConfig) =>
  Effect.gen(function*() {
    const pgClient = yield* PgClient.make({ multiplex: true, idleTimeout, ...config })
    const reactivity = yield* Reactivity.Reactivity
    const reserve = Effect.flatMap(PgClient.makeClient({ ...config, multiplex: false }), (singleClient) =>
      singleClient.reserve).pipe(
        Effect.provideService(Reactivity.Reactivity, reactivity)
      )
    return Object.assign(pgClient, { driver: "pg", reserve })
  })

/** The time after which an unused connection is closed. A connection that was just used is used again first. */
const idleTimeout = "10 seconds"

/**
 * Provides the client of a PostgreSQL server. Statements share connections by pipelining, and each transaction has a
 * connection of its own. Connections are opened on demand, so the layer fails only if the configuration is wrong.
 * Poolers receive no startup parameters, because poolers reject startup parameters. On connections without a pooler,
 * the server ends late statements, and confirms a commit only after the commit is on disk.
 */
export const layerPostgres = (options: PostgresOptions): Layer.Layer<Database, SqlError | InvalidDatabaseUrl> =>
  makeDatabaseLayer(Effect.gen(function*() {
    const callAddress = yield* readDatabaseAddress(options.url, false)
    const directAddress = options.directUrl === undefined
      ? callAddress
      : yield* readDatabaseAddress(options.directUrl, true)
    const { applicationName, statementTimeoutMs: responseTimeoutMs } = options
    const sessionSettings = { applicationName, responseTimeoutMs }
    const isPooledUrl = options.pooled ??
      (options.directUrl !== undefined || (yield* isPooled(makeSessionConfig(callAddress, sessionSettings))))
    const hasConnectTimeout = new URL(Redacted.value(callAddress.url)).searchParams.has("connect_timeout")
    const poolConfig = {
      ...makeSessionConfig(callAddress, { ...sessionSettings, hasServerTimeout: !isPooledUrl }),
      ...(responseTimeoutMs === undefined || hasConnectTimeout
        ? {}
        : { connectTimeout: connectTimeoutShare * responseTimeoutMs }),
      prepare: !isPooledUrl,
      ...(isPooledUrl ? {} : {
        startupParameters: {
          synchronous_commit: "on",
          // Times in columns without a time zone, such as the cluster's heartbeats, must not jump twice a year.
          TimeZone: "UTC",
          // Compiling a read of a series takes more time than running the read.
          jit: "off",
          ...(responseTimeoutMs === undefined ? {} : {
            statement_timeout: String(toServerTimeoutMs(responseTimeoutMs)),
            // A process that is frozen within a transaction must not keep its locks.
            idle_in_transaction_session_timeout: String(toServerTimeoutMs(responseTimeoutMs))
          })
        }
      })
    }
    const callClient = yield* makePostgresClient({ ...poolConfig, maxConnections: options.maxConnections ?? 10 })
    const backgroundSessions = {
      client: yield* makePostgresClient({
        ...poolConfig,
        maxConnections: options.maxBackgroundConnections ?? 3,
        multiplex: false
      }),
      healthClient: yield* makePostgresClient({ ...poolConfig, maxConnections: 1 })
    }
    const startTimeoutMs = options.startTimeoutMs ?? defaultStartTimeoutMs
    const startClient = yield* makePostgresClient({
      ...makeSessionConfig(directAddress, { applicationName, responseTimeoutMs: startTimeoutMs }),
      maxConnections: 2,
      prepare: false
    })
    return Context.add(Context.add(provideClient(callClient), BackgroundSessions, backgroundSessions), DirectSessions, {
      hasOwnUrl: options.directUrl !== undefined,
      client: startClient,
      timeoutMs: startTimeoutMs,
      openSession: PgConnection.make(
        makeSessionConfig(directAddress, {
          applicationName,
          responseTimeoutMs: responseTimeoutMs ?? defaultListenTimeoutMs
        })
      )
    })
  }))

const provideClient = (pgClient: PgClient.PgClient) =>
  Context.add(Context.make(PgClient.PgClient, pgClient), SqlClient, pgClient)

const makeDatabaseLayer = <E>(
  context: Effect.Effect<Context.Context<Database>, E, Scope.Scope | Reactivity.Reactivity>
) => Layer.provide(Layer.effectContext(context), Reactivity.layer)

/** Creates the client of an opened PGlite database. */
export const makePgliteClient = (pglite: Pglite) =>
  Effect.map(
    PgClient.make({
      stream: pglite.connect,
      username: "postgres",
      database: "postgres",
      // The session lasts as long as the database, so the only connection must never be closed for idleness.
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
 * The client of an embedded PGlite database, which has one session, so a transaction delays all other statements. A
 * data folder can be used by only one process at a time.
 */
export const layerPglite = (
  options: PgliteOptions
): Layer.Layer<Database, SqlError | DataDirLocked | PgliteUnavailable> =>
  makeDatabaseLayer(
    Effect.gen(function*() {
      const pglite = yield* openPglite(options)
      const client = yield* makePgliteClient(pglite)
      const { diskReserve, files } = pglite
      yield* scheduleMaintenance(client, diskReserve, () => files?.isBackupRunning === true)
      return files === null ? provideClient(client) : Context.add(
        Context.add(provideClient(client), EmbeddedFiles, files),
        DiskSpaceCheck,
        makeDiskSpaceCheck(files.dataDir, diskReserve)
      )
    })
  )
