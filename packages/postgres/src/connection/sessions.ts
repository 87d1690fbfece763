import { PgClient, type PgConnection } from "@effect/sql-pg"
import { Context, Effect, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { isLockTimeout } from "../rowLocks.ts"

/**
 * Sessions that use no pooler and have a longer time limit than calls. The reference is null unless `layerPostgres`
 * created the client; migrations then use the client's own sessions.
 */
export const DirectSessions = Context.Reference<
  {
    /** Whether the direct sessions use another URL than the statements of the stores. */
    readonly hasOwnUrl: boolean
    readonly client: PgClient.PgClient
    /** The time limit in ms of work at the start, such as migrations. */
    readonly timeoutMs: number
    readonly openSession: Effect.Effect<PgConnection.PgConnection, SqlError, Scope.Scope>
  } | null
>("@tapeline/postgres/connection/DirectSessions", { defaultValue: () => null })

/**
 * Sessions that are separate from the sessions of calls, so that statements that wait for a lock do not delay calls.
 * The statements of calls are pipelined, so each statement waits for the earlier statements. The reference is null
 * unless `layerPostgres` created the client; background work then uses the sessions of calls.
 */
export const BackgroundSessions = Context.Reference<
  {
    /** The client for administration, housekeeping and long reads, with a session for each running statement. */
    readonly client: PgClient.PgClient
    /** The client that checks whether the database is available; its statements must never wait for a lock. */
    readonly healthClient: PgClient.PgClient
  } | null
>("@tapeline/postgres/connection/BackgroundSessions", { defaultValue: () => null })

/** The time in ms that an administrative change waits for locked rows before the change fails and can be retried. */
const changeLockTimeoutMs = 1_000

/**
 * The time in ms that an attempt at the start waits for a table lock, while other transactions queue behind the
 * attempt.
 */
const startLockTimeoutMs = 100
const startRetryPauseMs = 400

type UseClient<A, E> = (sql: PgClient.PgClient) => Effect.Effect<A, E>

/** Runs statements on sessions that are separate from the sessions of calls, or within the caller's transaction. */
export interface BackgroundPool {
  readonly run: <A, E>(useClient: UseClient<A, E>) => Effect.Effect<A, E>
  /** Runs a change, which fails soon if another transaction has locked the rows of the change. */
  readonly runWithLockTimeout: <A, E>(useClient: UseClient<A, E>) => Effect.Effect<A, E | SqlError>
  /** Runs statements of a start, with the time limit of a start. */
  readonly runAtStart: <A, E>(useClient: UseClient<A, E>) => Effect.Effect<A, E>
  /**
   * Runs statements of a start that lock a table, in short attempts, so that calls do not queue behind the table lock.
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
          : Effect.logWarning(`The start is waiting for a transaction that uses the table ${table}.`)
        hasLogged = true
        return Effect.as(Effect.andThen(logOnce, Effect.sleep(startRetryPauseMs)), true)
      },
      times: Math.ceil(timeoutMs / (startLockTimeoutMs + startRetryPauseMs))
    })
  }

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
