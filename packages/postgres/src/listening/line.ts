import type { PgClient, PgConnection } from "@effect/sql-pg"
import { Cause, Data, Deferred, Effect, Queue, Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { reasonOf } from "../connection/failure.ts"
import type { Ears } from "./Ears.ts"

/** One connection that listens, for as long as it lasts. */
export interface Line {
  readonly session: PgConnection.PgConnection
  /** The scope of everything that listens on the connection. */
  readonly scope: Scope.Scope
  readonly lost: Deferred.Deferred<never, SqlError>
  readonly channels: Map<string, { readonly scope: Scope.Closeable; readonly heard: Deferred.Deferred<void, SqlError> }>
  /** Whether a heartbeat has arrived on it. */
  proven: boolean
}

/** The state of listening. */
export interface Hearing {
  line: Line | null
  /** All notices before this time have been received. The time is of a monotonic clock, in ms. */
  upTo: number
}

/** Listens to a channel on a connection, unless the connection already listens to it. */
export const hearOn = (line: Line, ears: Ears, channel: string): Effect.Effect<void, SqlError> =>
  Effect.suspend(() => {
    const known = line.channels.get(channel)
    if (known !== undefined) return Deferred.await(known.heard)
    const heard = Deferred.makeUnsafe<void, SqlError>()
    const scope = Scope.forkUnsafe(line.scope)
    line.channels.set(channel, { scope, heard })
    return Scope.provide(line.session.listen(channel), scope).pipe(
      Effect.tap((notices) =>
        Queue.take(notices).pipe(
          Effect.tap(({ payload }) => Effect.sync(() => ears.tell(channel, payload))),
          Effect.forever,
          Effect.catchCause((cause) => Deferred.failCause(line.lost, cause)),
          Effect.forkIn(scope)
        )
      ),
      Effect.asVoid,
      Effect.tapError((error) => Deferred.fail(line.lost, error)),
      Effect.onExit((exit) => Deferred.done(heard, exit))
    )
  })

const firstPauseMs = 250
const longestPauseMs = 2_000

/** How long to wait for a heartbeat, in heartbeat intervals. */
const patience = 2

/** After this many consecutive connections that receive nothing, a warning is logged. */
const deafLines = 3

const deaf = "What other processes tell does not arrive here, though the database answers: does DATABASE_URL lead to " +
  "a pooler? Set DATABASE_DIRECT_URL to the database itself. Until it arrives nothing remembered is trusted for long."

interface Means {
  readonly client: PgClient.PgClient
  readonly open: Effect.Effect<PgConnection.PgConnection, SqlError, Scope.Scope>
  readonly ears: Ears
  readonly heartbeatMs: number
}

/** A heartbeat was sent and has not arrived. */
class Unheard extends Data.TaggedError("Unheard") {
  override get message(): string {
    return "What was told did not arrive"
  }
}

/** A heartbeat could not be sent in time: the database is slow or unavailable. */
class Untold extends Data.TaggedError("Untold") {
  override get message(): string {
    return "It could not be told anything in time"
  }
}

type Beats = Queue.Dequeue<PgConnection.Notification, SqlError>

/** Sends a notice to itself with the client of the stores, and waits until it arrives. */
const beat = ({ client, ears, heartbeatMs }: Means, hearing: Hearing, own: string, line: Line, beats: Beats) =>
  Effect.gen(function*() {
    const sentAt = performance.now()
    const text = crypto.randomUUID()
    let told = false
    const tell = Effect.tap(client.notify(own, text), () => Effect.sync(() => told = true))
    const arrived = Effect.repeat(Queue.take(beats), { until: ({ payload }) => payload === text })
    yield* Effect.raceFirst(
      Effect.andThen(tell, Effect.never),
      Effect.timeoutOrElse(arrived, {
        duration: patience * heartbeatMs,
        orElse: () => Effect.fail(told ? new Unheard() : new Untold())
      })
    )
    hearing.upTo = sentAt
    if (line.proven) return
    line.proven = true
    ears.tellGap()
  })

const useLine = (means: Means, hearing: Hearing, connection: Scope.Scope, scope: Scope.Scope) =>
  Effect.gen(function*() {
    const own = `tapeline_listener_${crypto.randomUUID().replaceAll("-", "")}`
    const session = yield* Scope.provide(Effect.flatMap(means.open, ({ pin }) => pin), connection)
    const beats = yield* Scope.provide(session.listen(own), scope)
    const line: Line = { session, scope, lost: Deferred.makeUnsafe(), channels: new Map(), proven: false }
    hearing.line = line
    yield* Effect.forEach(means.ears.channels, (channel) => hearOn(line, means.ears, channel), { discard: true })
    const beating = beat(means, hearing, own, line, beats).pipe(
      Effect.andThen(Effect.sleep(means.heartbeatMs)),
      Effect.forever
    )
    return yield* Effect.raceFirst(Deferred.await(line.lost), beating)
  })

/** Keeps a connection that listens open, for as long as the effect runs. */
export const keepListening = (means: Means, hearing: Hearing): Effect.Effect<never> => {
  let [pauseMs, unproven] = [firstPauseMs, 0]
  const lineOnce = Effect.acquireUseRelease(
    Effect.all([Scope.make(), Scope.make()]),
    ([connection, scope]) => useLine(means, hearing, connection, scope),
    // Closes the connection before the listening on it ends: that end would wait for a peer that may be silent.
    ([connection, scope], exit) =>
      Effect.suspend(() => {
        const proven = hearing.line?.proven ?? false
        hearing.line = null
        hearing.upTo = Number.NEGATIVE_INFINITY
        if (proven) [pauseMs, unproven] = [firstPauseMs, 0]
        return Effect.andThen(Scope.close(connection, exit), Scope.close(scope, exit))
      })
  )
  const lost = (cause: Cause.Cause<unknown>) =>
    Effect.suspend(() => {
      const error = Cause.squash(cause)
      if (error instanceof Unheard && ++unproven === deafLines) return Effect.logWarning(deaf)
      return Effect.logDebug(`The connection that listens was lost: ${reasonOf(error)}`)
    })
  const pause = Effect.suspend(() => {
    const ms = pauseMs * (0.5 + Math.random() / 2)
    pauseMs = Math.min(2 * pauseMs, longestPauseMs)
    return Effect.sleep(ms)
  })
  return lineOnce.pipe(Effect.catchCause(lost), Effect.andThen(pause), Effect.forever)
}
