import { PgClient, type PgConnection } from "@effect/sql-pg"
import { Context, Effect, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { isLockTimeout } from "../rowLocks.ts"

/**
 * The sessions for migrations and other work at startup. Direct sessions bypass a pooler, and have a longer time limit
 * than calls. `DirectSessions` is null unless `layerPostgres` created the client. Migrations use the client's own
 * sessions if `DirectSessions` is null.
 */
export const DirectSessions = Context.Reference<
  {
    /** True if the direct sessions connect to `directUrl`, and false if they connect to `url`. */
    readonly hasOwnUrl: boolean
    readonly client: PgClient.PgClient
    /** The time limit in ms of work at the start, such as migrations. */
    readonly timeoutMs: number
    readonly openSession: Effect.Effect<PgConnection.PgConnection, SqlError, Scope.Scope>
  } | null
>("@tapeline/postgres/connection/DirectSessions", { defaultValue: () => null })

/**
 * Database sessions for background work. A lock wait on a background session does not delay calls. The statements of
 * calls are pipelined, so each statement waits for the earlier statements. `BackgroundSessions` is null unless
 * `layerPostgres` created the client. Background work uses the sessions of calls if `BackgroundSessions` is null.
 */
export const BackgroundSessions = Context.Reference<
  {
    /** The client for administration, housekeeping and long reads. Each running statement has a session of its own. */
    readonly client: PgClient.PgClient
    /** The client of the readiness check. Statements of the readiness check must never wait for a lock. */
    readonly healthClient: PgClient.PgClient
  } | null
>("@tapeline/postgres/connection/BackgroundSessions", { defaultValue: () => null })

/**
 * The maximum time in ms that an administrative change waits for locked rows. An administrative change fails after the
 * timeout, and the caller can retry the change.
 */
const changeLockTimeoutMs = 1_000

/**
 * The maximum time in ms that one startup attempt waits for a table lock. Other transactions queue behind a startup
 * attempt that waits for a table lock.
 */
const startLockTimeoutMs = 100
const startRetryPauseMs = 400

type UseClient<A, E> = (sql: PgClient.PgClient) => Effect.Effect<A, E>

/** Runs statements on background sessions. If the caller is in a transaction, the statements join the transaction. */
export interface BackgroundPool {
  readonly run: <A, E>(useClient: UseClient<A, E>) => Effect.Effect<A, E>
  /** Runs a change. If another transaction has locked the required rows, the change fails after a short wait. */
  readonly runWithLockTimeout: <A, E>(useClient: UseClient<A, E>) => Effect.Effect<A, E | SqlError>
  /** Runs statements with the longer time limit for startup work. */
  readonly runAtStart: <A, E>(useClient: UseClient<A, E>) => Effect.Effect<A, E>
  /**
   * Runs statements that lock a whole table at startup. Each attempt waits only briefly for the lock, so that calls do
   * not wait behind the attempt.
   */
  readonly runAtStartWithTableLock: <A>(table: string, useClient: UseClient<A, SqlError>) => Effect.Effect<A, SqlError>
}

/**
 * Runs a transaction that locks tables at startup. Each attempt waits only briefly for each lock, so that calls do not
 * queue behind the attempt. `usedTables` describes the tables in the log line about the wait.
 */
export const runWithBriefLockWaits = <A, E, R>(
  { client, timeoutMs }: NonNullable<typeof DirectSessions.Service>,
  { isTimeout, transaction, usedTables }: {
    readonly transaction: Effect.Effect<A, E, R>
    readonly isTimeout: (error: E | SqlError) => boolean
    readonly usedTables: string
  }
): Effect.Effect<A, E | SqlError, R> => {
  let hasLogged = false
  const attempt = client.withTransaction(
    Effect.andThen(client.unsafe(`set local lock_timeout = ${startLockTimeoutMs}`), transaction)
  )
  return Effect.retry(attempt, {
    while: (error) => {
      if (!isTimeout(error)) return Effect.succeed(false)
      const logOnce = hasLogged
        ? Effect.void
        : Effect.logWarning(`The start is waiting for a transaction that uses ${usedTables}.`)
      hasLogged = true
      return Effect.as(Effect.andThen(logOnce, Effect.sleep(startRetryPauseMs)), true)
    },
    times: Math.ceil(timeoutMs / (startLockTimeoutMs + startRetryPauseMs))
  })
}

const withTableLock =
  (direct: NonNullable<typeof DirectSessions.Service>) => <A>(table: string, useClient: UseClient<A, SqlError>) =>
    runWithBriefLockWaits(direct, {
      transaction: Effect.andThen(
        direct.client.unsafe(`lock table ${table} in exclusive mode`),
        useClient(direct.client)
      ),
      isTimeout: isLockTimeout,
      usedTables: `the table ${table}`
    })

export const makeBackgroundPool: Effect.Effect<BackgroundPool, never, PgClient.PgClient> = Effect.gen(function*() {
  const [mainClient, backgroundSessions, direct] = yield* Effect.all([
    PgClient.PgClient,
    BackgroundSessions,
    DirectSessions
  ])
  const inTransaction = Effect.map(Effect.serviceOption(mainClient.transactionService), ({ _tag }) => _tag === "Some")
  const unlessInTransaction = <A, E>(useClient: UseClient<A, E>, otherwise: Effect.Effect<A, E>) =>
    Effect.flatMap(inTransaction, (isInside) => isInside ? useClient(mainClient) : otherwise)
  const client = backgroundSessions?.client ?? mainClient
  const runBriefly = <A, E>(useClient: UseClient<A, E>): Effect.Effect<A, E | SqlError> =>
    client.withTransaction(
      Effect.andThen(client.unsafe(`set local lock_timeout = ${changeLockTimeoutMs}`), useClient(client))
    )
  return {
    run: (useClient) => unlessInTransaction(useClient, useClient(client)),
    runWithLockTimeout: <A, E>(useClient: UseClient<A, E>) =>
      backgroundSessions === null
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
