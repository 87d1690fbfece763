import { PgClient, type PgConnection } from "@effect/sql-pg"
import { Context, Effect, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { isLockTimeout } from "../rowLocks.ts"

/**
 * Sessions without a pooler, with more time than a call has. Null if the client is not one of `layerPostgres`. The
 * client's own sessions are used then.
 */
export const DirectSessions = Context.Reference<
  {
    /** Whether they use another URL than the statements of the stores. */
    readonly hasOwnUrl: boolean
    /** For migrations and other work at a start. */
    readonly client: PgClient.PgClient
    /** The time limit of a start, in ms. */
    readonly timeoutMs: number
    /** A separate session, for listening. */
    readonly openSession: Effect.Effect<PgConnection.PgConnection, SqlError, Scope.Scope>
  } | null
>("@tapeline/postgres/connection/DirectSessions", { defaultValue: () => null })

/**
 * Sessions apart from those of calls, so that statements which wait for a lock do not delay calls. Statements of calls
 * are pipelined, and wait for those before them.
 *
 * Null if the client is not one of `layerPostgres`. The client's own sessions are used then, as in an embedded
 * database, which has one.
 */
export const AdminSessions = Context.Reference<
  {
    /** For administration and housekeeping. Each statement has a session for itself. */
    readonly client: PgClient.PgClient
    /** For checks whether the database is available. No statement on it may wait for a lock. */
    readonly healthClient: PgClient.PgClient
  } | null
>("@tapeline/postgres/connection/SideSessions", { defaultValue: () => null })

/** How long an administrative change waits for held rows. It then fails, and its caller can retry. */
const changeLockTimeoutMs = 1_000

/** How long one attempt at the start waits for a table. Transactions that wait behind it go first afterwards. */
const startLockTimeoutMs = 100
const startRetryPauseMs = 400

type UseClient<A, E> = (sql: PgClient.PgClient) => Effect.Effect<A, E>

/**
 * Runs statements of stores that no call waits for. Within a caller's transaction, they are part of that transaction.
 */
export interface AdminPool {
  /** Runs statements on a side session. */
  readonly run: <A, E>(useClient: UseClient<A, E>) => Effect.Effect<A, E>
  /** Runs a change. Fails soon if another transaction holds its rows. */
  readonly runWithLockTimeout: <A, E>(useClient: UseClient<A, E>) => Effect.Effect<A, E | SqlError>
  /** Runs statements of a start, with the time limit of a start. */
  readonly runAtStart: <A, E>(useClient: UseClient<A, E>) => Effect.Effect<A, E>
  /**
   * Like `runAtStart`, with a lock on the table. Waits for the lock for as long as a start may last, in short attempts.
   * Calls that open a month meanwhile do not wait behind it.
   */
  readonly runAtStartWithTableLock: <A>(table: string, useClient: UseClient<A, SqlError>) => Effect.Effect<A, SqlError>
}

const withTableLock =
  (direct: NonNullable<typeof DirectSessions.Service>) => <A>(table: string, useClient: UseClient<A, SqlError>) => {
    const { client, timeoutMs } = direct
    let hasLogged = false
    const attempt = client.withTransaction(Effect.gen(function*() {
      yield* client.unsafe(`set local lock_timeout = ${startLockTimeoutMs}`)
      yield* client.unsafe(`lock table ${table} in exclusive mode`)
      return yield* useClient(client)
    }))
    return Effect.retry(attempt, {
      while: (error) => {
        if (!isLockTimeout(error)) return Effect.succeed(false)
        const logOnce = hasLogged
          ? Effect.void
          : Effect.logWarning(`The start waits for a transaction that uses the table ${table}.`)
        hasLogged = true
        return Effect.as(Effect.andThen(logOnce, Effect.sleep(startRetryPauseMs)), true)
      },
      times: Math.ceil(timeoutMs / (startLockTimeoutMs + startRetryPauseMs))
    })
  }

export const makeAdminPool: Effect.Effect<AdminPool, never, PgClient.PgClient> = Effect.gen(function*() {
  const [mainClient, adminSessions, direct] = yield* Effect.all([PgClient.PgClient, AdminSessions, DirectSessions])
  const inTransaction = Effect.map(Effect.serviceOption(mainClient.transactionService), ({ _tag }) => _tag === "Some")
  const unlessInTransaction = <A, E>(useClient: UseClient<A, E>, otherwise: Effect.Effect<A, E>) =>
    Effect.flatMap(inTransaction, (isInside) => isInside ? useClient(mainClient) : otherwise)
  const client = adminSessions?.client ?? mainClient
  const runBriefly = <A, E>(useClient: UseClient<A, E>): Effect.Effect<A, E | SqlError> =>
    client.withTransaction(
      Effect.andThen(client.unsafe(`set local lock_timeout = ${changeLockTimeoutMs}`), useClient(client))
    )
  return {
    run: (useClient) => unlessInTransaction(useClient, useClient(client)),
    runWithLockTimeout: <A, E>(useClient: UseClient<A, E>) =>
      adminSessions === null
        ? useClient(mainClient)
        : unlessInTransaction<A, E | SqlError>(useClient, runBriefly(useClient)),
    runAtStart: (useClient) => unlessInTransaction(useClient, useClient(direct?.client ?? mainClient)),
    runAtStartWithTableLock: (table, useClient) =>
      unlessInTransaction(
        useClient,
        direct === null
          ? Effect.retry(useClient(mainClient), { times: 8, while: isLockTimeout })
          : withTableLock(direct)(table, useClient)
      )
  }
})
