import { PgClient, PgConnection } from "@effect/sql-pg"
import { Context, Effect, Layer, Redacted, type Scope } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { resolve } from "node:path"
import { type Address, InvalidDatabaseUrl, readAddress } from "./connection/address.ts"
import { lateAfterMs } from "./connection/AnswerWatch.ts"
import { DirectSessions } from "./connection/DirectSessions.ts"
import { PgSocket } from "./connection/PgSocket.ts"
import { SideSessions } from "./connection/SideSessions.ts"
import { type DataDirLocked, openPglite, type Pglite, type PgliteOptions, type PgliteUnavailable } from "./pglite.ts"
import { roomBeside, RoomToWrite } from "./room.ts"
import { keepUp } from "./upkeep.ts"

export { InvalidDatabaseUrl } from "./connection/address.ts"
export { reasonOf } from "./connection/failure.ts"

/** What a layer of a database gives to the stores. */
export type Database = PgClient.PgClient | SqlClient

/** Why a layer of a database, of either kind, cannot be built. */
export type DatabaseError = SqlError | InvalidDatabaseUrl | DataDirLocked | PgliteUnavailable

export interface PostgresOptions {
  /**
   * `postgres://user:password@host:port/database`, with libpq's parameters, those of TLS among them (`readAddress`).
   */
  readonly url: Redacted.Redacted | string
  /**
   * The same database without a pooler in between, for what needs a session of its own: listening and migrations. When
   * it is given, `url` is taken to be a pooler's.
   */
  readonly directUrl?: Redacted.Redacted | string | undefined
  /**
   * Whether a pooler such as PgBouncer stands at `url`, perhaps one that gives each statement another session: then no
   * statement is prepared by name. When left out, a first connection finds out.
   */
  readonly pooled?: boolean | undefined
  /**
   * At most this many connections for calls; 10 by default. On top come, when they are needed, three for administration
   * and housekeeping, two that tell whether the database is there (one of them listens), and two at the start.
   */
  readonly maxConnections?: number | undefined
  readonly applicationName?: string | undefined
  /**
   * A statement that takes longer than four fifths of it, as one that waits for a lock, is ended and fails. A session
   * whose peer is silent for so long is given up, with all that waits on it. No bound when left out.
   */
  readonly statementTimeoutMs?: number | undefined
  /** The same for what is done at a start, such as a migration that rewrites a table; 30 minutes by default. */
  readonly startTimeoutMs?: number | undefined
}

/** The part of a statement's time that its connection may take to be made, where the address says nothing of it. */
const toConnect = 0.8

const defaultStartTimeoutMs = 30 * 60_000
const defaultListenTimeoutMs = 5_000

interface Place {
  readonly url: Redacted.Redacted<string>
  readonly address: Address
}

const place = (given: Redacted.Redacted | string, direct: boolean): Effect.Effect<Place, InvalidDatabaseUrl> =>
  Effect.suspend(() => {
    const text = typeof given === "string" ? given : Redacted.value(given)
    const address = readAddress(text, direct)
    return address instanceof InvalidDatabaseUrl
      ? Effect.fail(address)
      : Effect.succeed({ url: Redacted.make(text), address })
  })

/** What is said of every session: the way to it is ours, TLS included. */
const sessions = (
  { address, url }: Place,
  { answerWithinMs, applicationName, serverEndsLate = false }: {
    readonly applicationName: string | undefined
    readonly answerWithinMs: number | undefined
    readonly serverEndsLate?: boolean
  }
) => {
  const wiring = { address, answerWithinMs, serverEndsLate, open: new Set<PgSocket>(), silentUntil: 0 }
  return {
    url,
    ssl: false,
    stream: () => new PgSocket(wiring),
    applicationName: applicationName ?? "tapeline"
  } satisfies PgConnection.Config
}

/**
 * Whether another process stands in between: then the process that one is connected to is not the one that runs the
 * statements. A server that cannot be asked is taken for a pooler, which is the careful answer.
 */
const isPooled = (config: PgConnection.Config): Effect.Effect<boolean> =>
  Effect.scoped(Effect.flatMap(PgConnection.make(config), (session) =>
    Effect.map(
      session.query("select pg_backend_pid()::integer as pid", [], false),
      ({ rows }) => rows[0]?.["pid"] !== session.processId
    ))).pipe(Effect.orElseSucceed(() => true))

/**
 * A client whose `reserve` opens a connection of its own, and closes it with the scope. A pooled connection would
 * return to the pool while statements of the reservation still run: the next statement would then read their results,
 * and wait forever for its own.
 */
const client = (config: PgClient.PgPoolConfig) =>
  Effect.gen(function*() {
    const made = yield* PgClient.make({ multiplex: true, ...config })
    const reactivity = yield* Reactivity.Reactivity
    const reserve = Effect.flatMap(PgClient.makeClient({ ...config, multiplex: false }), (own) => own.reserve).pipe(
      Effect.provideService(Reactivity.Reactivity, reactivity)
    )
    return Object.assign(made, { driver: "pg", reserve })
  })

/** Sessions for administration and housekeeping. */
const sideConnections = 3

/**
 * A client of a PostgreSQL server. Statements of several fibers are pipelined on each connection; a transaction takes
 * one for itself. Connections are opened when they are needed, so this fails only on a wrong configuration.
 *
 * No startup parameters are sent to a pooler, for poolers refuse them. A session of one's own is asked to acknowledge
 * nothing before it is on disk, whatever the server's default says, and to end by itself what takes too long.
 */
export const layerPostgres = (options: PostgresOptions): Layer.Layer<Database, SqlError | InvalidDatabaseUrl> =>
  layerOf(Effect.gen(function*() {
    const near = yield* place(options.url, false)
    const direct = options.directUrl === undefined ? near : yield* place(options.directUrl, true)
    const { applicationName, statementTimeoutMs: answerWithinMs } = options
    const said = { applicationName, answerWithinMs }
    const pooled = options.pooled ?? (options.directUrl !== undefined || (yield* isPooled(sessions(near, said))))
    const saysConnectTimeout = new URL(Redacted.value(near.url)).searchParams.has("connect_timeout")
    const usual = {
      ...sessions(near, { ...said, serverEndsLate: !pooled }),
      ...(answerWithinMs === undefined || saysConnectTimeout ? {} : { connectTimeout: toConnect * answerWithinMs }),
      prepare: !pooled,
      ...(pooled ? {} : {
        startupParameters: {
          synchronous_commit: "on",
          // What others keep in columns without a zone, as the cluster's heartbeats, must not jump twice a year.
          TimeZone: "UTC",
          // Reads of series look dear to the planner, and take less long than to compile them would.
          jit: "off",
          ...(answerWithinMs === undefined ? {} : {
            statement_timeout: String(lateAfterMs(answerWithinMs)),
            // A frozen process must not keep its locks.
            idle_in_transaction_session_timeout: String(lateAfterMs(answerWithinMs))
          })
        }
      })
    }
    const made = yield* client({ ...usual, maxConnections: options.maxConnections ?? 10 })
    const side = {
      client: yield* client({ ...usual, maxConnections: sideConnections, multiplex: false }),
      pulse: yield* client({ ...usual, maxConnections: 1 })
    }
    const withinMs = options.startTimeoutMs ?? defaultStartTimeoutMs
    const patient = yield* client({
      ...sessions(direct, { applicationName, answerWithinMs: withinMs }),
      maxConnections: 2,
      prepare: false
    })
    return Context.add(Context.add(of(made), SideSessions, side), DirectSessions, {
      apart: options.directUrl !== undefined,
      client: patient,
      withinMs,
      open: PgConnection.make(
        sessions(direct, { applicationName, answerWithinMs: answerWithinMs ?? defaultListenTimeoutMs })
      )
    })
  }))

const of = (made: PgClient.PgClient) => Context.add(Context.make(PgClient.PgClient, made), SqlClient, made)

const layerOf = <E>(
  made: Effect.Effect<Context.Context<Database>, E, Scope.Scope | Reactivity.Reactivity>
) => Layer.provide(Layer.effectContext(made), Reactivity.layer)

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
): Layer.Layer<Database, SqlError | DataDirLocked | PgliteUnavailable> =>
  layerOf(
    Effect.gen(function*() {
      const pglite = yield* openPglite(options)
      const client = yield* makePgliteClient(pglite)
      yield* keepUp(client, pglite.reserve)
      return "dataDir" in options
        ? Context.add(of(client), RoomToWrite, roomBeside(resolve(options.dataDir), pglite.reserve))
        : of(client)
    })
  )
