import { PgClient } from "@effect/sql-pg"
import { Context, Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { isLocked } from "../heldRows.ts"
import { DirectSessions } from "./DirectSessions.ts"

/**
 * Sessions apart from those of calls, so that statements which wait for a lock do not delay calls. Statements of calls
 * are pipelined, and wait for those before them.
 *
 * Null if the client is not one of `layerPostgres`. The client's own sessions are used then, as in an embedded
 * database, which has one.
 */
export const SideSessions = Context.Reference<
  {
    /** For administration and housekeeping. Each statement has a session for itself. */
    readonly client: PgClient.PgClient
    /** For checks whether the database is available. No statement on it may wait for a lock. */
    readonly pulse: PgClient.PgClient
  } | null
>("@tapeline/postgres/connection/SideSessions", { defaultValue: () => null })

/** How long an administrative change waits for held rows. It then fails, and its caller can retry. */
const changeWaitsMs = 1_000

/** How long one attempt at the start waits for a table. Transactions that wait behind it go first afterwards. */
const startWaitsMs = 100
const startPausesMs = 400

type Use<A, E> = (sql: PgClient.PgClient) => Effect.Effect<A, E>

/**
 * Runs statements of stores that no call waits for. Within a caller's transaction, they are part of that transaction.
 */
export interface Aside {
  /** Runs statements on a side session. */
  readonly run: <A, E>(use: Use<A, E>) => Effect.Effect<A, E>
  /** Runs a change. Fails soon if another transaction holds its rows. */
  readonly change: <A, E>(use: Use<A, E>) => Effect.Effect<A, E | SqlError>
  /** Runs statements of a start, with the time limit of a start. */
  readonly start: <A, E>(use: Use<A, E>) => Effect.Effect<A, E>
  /**
   * Like `start`, with a lock on the table. Waits for the lock for as long as a start may last, in short attempts.
   * Calls that open a month meanwhile do not wait behind it.
   */
  readonly startAlone: <A>(table: string, use: Use<A, SqlError>) => Effect.Effect<A, SqlError>
}

const alone = (direct: NonNullable<typeof DirectSessions.Service>) => <A>(table: string, use: Use<A, SqlError>) => {
  const { client, withinMs } = direct
  let told = false
  const turn = client.withTransaction(Effect.gen(function*() {
    yield* client.unsafe(`set local lock_timeout = ${startWaitsMs}`)
    yield* client.unsafe(`lock table ${table} in exclusive mode`)
    return yield* use(client)
  }))
  return Effect.retry(turn, {
    while: (error) => {
      if (!isLocked(error)) return Effect.succeed(false)
      const say = told
        ? Effect.void
        : Effect.logWarning(`The start waits for a transaction that uses the table ${table}.`)
      told = true
      return Effect.as(Effect.andThen(say, Effect.sleep(startPausesMs)), true)
    },
    times: Math.ceil(withinMs / (startWaitsMs + startPausesMs))
  })
}

export const makeAside: Effect.Effect<Aside, never, PgClient.PgClient> = Effect.gen(function*() {
  const [own, side, direct] = yield* Effect.all([PgClient.PgClient, SideSessions, DirectSessions])
  const inTransaction = Effect.map(Effect.serviceOption(own.transactionService), ({ _tag }) => _tag === "Some")
  const unless = <A, E>(use: Use<A, E>, otherwise: Effect.Effect<A, E>) =>
    Effect.flatMap(inTransaction, (inside) => inside ? use(own) : otherwise)
  const client = side?.client ?? own
  const briefly = <A, E>(use: Use<A, E>): Effect.Effect<A, E | SqlError> =>
    client.withTransaction(Effect.andThen(client.unsafe(`set local lock_timeout = ${changeWaitsMs}`), use(client)))
  return {
    run: (use) => unless(use, use(client)),
    change: <A, E>(use: Use<A, E>) => side === null ? use(own) : unless<A, E | SqlError>(use, briefly(use)),
    start: (use) => unless(use, use(direct?.client ?? own)),
    startAlone: (table, use) =>
      unless(use, direct === null ? Effect.retry(use(own), { times: 8, while: isLocked }) : alone(direct)(table, use))
  }
})
