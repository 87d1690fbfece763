import { PgClient } from "@effect/sql-pg"
import { Context, Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { isLocked } from "../heldRows.ts"
import { DirectSessions } from "./DirectSessions.ts"

/**
 * Sessions beside those of calls, so that what stands before a lock delays none of them: statements of calls are
 * pipelined, and wait for those before them. Null where the client is not one of `layerPostgres`; then its own sessions
 * serve, as in an embedded database, which has one.
 */
export const SideSessions = Context.Reference<
  {
    /** For administration and housekeeping; each statement has a session to itself. */
    readonly client: PgClient.PgClient
    /** For what tells whether the database is there: nothing that may wait for a lock. */
    readonly pulse: PgClient.PgClient
  } | null
>("@tapeline/postgres/connection/SideSessions", { defaultValue: () => null })

/** A change of administration waits so long for what somebody holds, and then fails; its caller may try again. */
const changeWaitsMs = 1_000

/** A start asks so long for a table, and then lets those go first who came behind it. */
const startWaitsMs = 100
const startPausesMs = 400

type Use<A, E> = (sql: PgClient.PgClient) => Effect.Effect<A, E>

/** How stores run what no call waits for. Within a caller's transaction all of it is a part of that. */
export interface Aside {
  /** Runs it on a session beside. */
  readonly run: <A, E>(use: Use<A, E>) => Effect.Effect<A, E>
  /** Runs a change, and gives up soon what somebody holds. */
  readonly change: <A, E>(use: Use<A, E>) => Effect.Effect<A, E | SqlError>
  /** Runs what belongs to a start, in its time. */
  readonly start: <A, E>(use: Use<A, E>) => Effect.Effect<A, E>
  /**
   * The same with a table to itself, for which it waits as long as a start may last, in short turns: who opens a month
   * meanwhile does not stand behind it.
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
