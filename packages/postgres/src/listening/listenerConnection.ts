import type { PgClient, PgConnection } from "@effect/sql-pg"
import { Cause, Data, Deferred, Effect, Latch, Queue, Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { describeFailure } from "../connection/describeFailure.ts"

/** A notice that a process sent on a channel, with `notify` or `pg_notify`. */
export interface Notice {
  readonly _tag: "Notice"
  readonly channel: string
  readonly payload: string
}

/** Reports that earlier notices may have been missed, and that later notices will arrive. */
export interface Gap {
  readonly _tag: "Gap"
}

export type ListenerQueue = Queue.Queue<Notice | Gap>

export const gap: Gap = { _tag: "Gap" }

export class Listeners {
  readonly #queuesByChannel = new Map<string, Set<ListenerQueue>>()

  get channels(): ReadonlyArray<string> {
    return [...this.#queuesByChannel.keys()]
  }

  add(channel: string, queue: ListenerQueue): void {
    const queues = this.#queuesByChannel.get(channel) ?? new Set()
    this.#queuesByChannel.set(channel, queues.add(queue))
  }

  /** Removes a listener, and returns true if the channel has no listeners left. */
  remove(channel: string, queue: ListenerQueue): boolean {
    const queues = this.#queuesByChannel.get(channel)
    queues?.delete(queue)
    return queues?.size === 0 && this.#queuesByChannel.delete(channel)
  }

  publish(channel: string, payload: string): void {
    this.#queuesByChannel.get(channel)?.forEach((queue) =>
      Queue.offerUnsafe(queue, { _tag: "Notice", channel, payload })
    )
  }

  publishGap(): void {
    for (const queues of this.#queuesByChannel.values()) queues.forEach((queue) => Queue.offerUnsafe(queue, gap))
  }
}

export interface ListenerConnection {
  readonly session: PgConnection.PgConnection
  readonly scope: Scope.Scope
  readonly lost: Deferred.Deferred<never, SqlError>
  readonly channels: Map<
    string,
    { readonly scope: Scope.Closeable; readonly subscribed: Deferred.Deferred<void, SqlError> }
  >
  /** Whether a heartbeat has arrived on the connection. */
  isVerified: boolean
}

/** The interval between two heartbeats without demand, in heartbeat intervals. */
const idleBeats = 10

/** Whether the process recently needed to know that notices arrive. An idle process sends heartbeats less often. */
export class HeartbeatDemand {
  readonly #hasDemand = Latch.makeUnsafe(false)
  #addedAt = Number.NEGATIVE_INFINITY

  add(): void {
    this.#addedAt = performance.now()
    this.#hasDemand.openUnsafe()
  }

  /** Waits until the next heartbeat is due. */
  waitForNext(heartbeatMs: number): Effect.Effect<void> {
    const waitForDemand = Effect.suspend(() => {
      if (performance.now() - this.#addedAt <= idleBeats * heartbeatMs) return Effect.void
      this.#hasDemand.closeUnsafe()
      return Effect.raceFirst(this.#hasDemand.await, Effect.sleep((idleBeats - 1) * heartbeatMs))
    })
    return Effect.andThen(Effect.sleep(heartbeatMs), waitForDemand)
  }
}

export interface ListenerState {
  connection: ListenerConnection | null
  /** The process has received all notices from before this time, in ms of a monotonic clock. */
  receivedUntil: number
  readonly demand: HeartbeatDemand
}

export const subscribe = (
  connection: ListenerConnection,
  listeners: Listeners,
  channel: string
): Effect.Effect<void, SqlError> =>
  Effect.suspend(() => {
    const subscription = connection.channels.get(channel)
    if (subscription !== undefined) return Deferred.await(subscription.subscribed)
    const subscribed = Deferred.makeUnsafe<void, SqlError>()
    const scope = Scope.forkUnsafe(connection.scope)
    connection.channels.set(channel, { scope, subscribed })
    return Scope.provide(connection.session.listen(channel), scope).pipe(
      Effect.tap((notices) =>
        Queue.take(notices).pipe(
          Effect.tap(({ payload }) => Effect.sync(() => listeners.publish(channel, payload))),
          Effect.forever,
          Effect.catchCause((cause) => Deferred.failCause(connection.lost, cause)),
          Effect.forkIn(scope)
        )
      ),
      Effect.asVoid,
      Effect.tapError((error) => Deferred.fail(connection.lost, error)),
      Effect.onExit((exit) => Deferred.done(subscribed, exit))
    )
  })

const firstPauseMs = 250
const maxPauseMs = 2_000

/** The maximum time to wait for a heartbeat, in heartbeat intervals. */
const heartbeatTimeoutBeats = 2

/** The number of consecutive connections without a received heartbeat after which a warning is logged. */
const warnAfterConnections = 3

const noNoticesWarning =
  "Notices of other processes do not arrive, although the database responds. If DATABASE_URL is the address of a " +
  "pooler, set DATABASE_DIRECT_URL to the database itself. Until notices arrive, cached data is used only briefly."

interface ListenerContext {
  readonly client: PgClient.PgClient
  readonly openSession: Effect.Effect<PgConnection.PgConnection, SqlError, Scope.Scope>
  readonly listeners: Listeners
  readonly heartbeatMs: number
}

class HeartbeatNotReceived extends Data.TaggedError("HeartbeatNotReceived") {
  override get message(): string {
    return "A heartbeat did not arrive"
  }
}

/** A heartbeat could not be sent in time, because the database is slow or unavailable. */
class HeartbeatNotSent extends Data.TaggedError("HeartbeatNotSent") {
  override get message(): string {
    return "A heartbeat could not be sent in time"
  }
}

type HeartbeatQueue = Queue.Dequeue<PgConnection.Notification, SqlError>

/** Sends a notice with the client of the stores, and waits until the notice arrives on the listening connection. */
const sendHeartbeat = (
  { client, listeners, heartbeatMs }: ListenerContext,
  state: ListenerState,
  heartbeatChannel: string,
  connection: ListenerConnection,
  heartbeats: HeartbeatQueue
) =>
  Effect.gen(function*() {
    const sentAt = performance.now()
    const text = crypto.randomUUID()
    let isSent = false
    const send = Effect.tap(client.notify(heartbeatChannel, text), () => Effect.sync(() => isSent = true))
    const arrived = Effect.repeat(Queue.take(heartbeats), { until: ({ payload }) => payload === text })
    yield* Effect.raceFirst(
      Effect.andThen(send, Effect.never),
      Effect.timeoutOrElse(arrived, {
        duration: heartbeatTimeoutBeats * heartbeatMs,
        orElse: () => Effect.fail(isSent ? new HeartbeatNotReceived() : new HeartbeatNotSent())
      })
    )
    state.receivedUntil = sentAt
    if (connection.isVerified) return
    connection.isVerified = true
    listeners.publishGap()
  })

const useConnection = (context: ListenerContext, state: ListenerState, sessionScope: Scope.Scope, scope: Scope.Scope) =>
  Effect.gen(function*() {
    const heartbeatChannel = `tapeline_listener_${crypto.randomUUID().replaceAll("-", "")}`
    const session = yield* Scope.provide(Effect.flatMap(context.openSession, ({ pin }) => pin), sessionScope)
    const heartbeats = yield* Scope.provide(session.listen(heartbeatChannel), scope)
    const listenerConnection: ListenerConnection = {
      session,
      scope,
      lost: Deferred.makeUnsafe(),
      channels: new Map(),
      isVerified: false
    }
    state.connection = listenerConnection
    yield* Effect.forEach(
      context.listeners.channels,
      (channel) => subscribe(listenerConnection, context.listeners, channel),
      { discard: true }
    )
    const heartbeatLoop = sendHeartbeat(context, state, heartbeatChannel, listenerConnection, heartbeats).pipe(
      Effect.andThen(state.demand.waitForNext(context.heartbeatMs)),
      Effect.forever
    )
    return yield* Effect.raceFirst(Deferred.await(listenerConnection.lost), heartbeatLoop)
  })

/** Keeps a listening connection open while the effect runs, and replaces a lost connection. */
export const keepListening = (context: ListenerContext, state: ListenerState): Effect.Effect<never> => {
  let [pauseMs, unverifiedCount] = [firstPauseMs, 0]
  const connectOnce = Effect.acquireUseRelease(
    Effect.all([Scope.make(), Scope.make()]),
    ([sessionScope, scope]) => useConnection(context, state, sessionScope, scope),
    // The connection is closed before the subscriptions, because a server that does not respond would block the end of
    // a subscription.
    ([sessionScope, scope], exit) =>
      Effect.suspend(() => {
        const wasVerified = state.connection?.isVerified ?? false
        state.connection = null
        state.receivedUntil = Number.NEGATIVE_INFINITY
        if (wasVerified) [pauseMs, unverifiedCount] = [firstPauseMs, 0]
        return Effect.andThen(Scope.close(sessionScope, exit), Scope.close(scope, exit))
      })
  )
  const logLoss = (cause: Cause.Cause<unknown>) =>
    Effect.suspend(() => {
      const error = Cause.squash(cause)
      if (error instanceof HeartbeatNotReceived && ++unverifiedCount === warnAfterConnections) {
        return Effect.logWarning(noNoticesWarning)
      }
      return Effect.logDebug(`The listening connection was lost: ${describeFailure(error)}`)
    })
  const pause = Effect.suspend(() => {
    const ms = pauseMs * (0.5 + Math.random() / 2)
    pauseMs = Math.min(2 * pauseMs, maxPauseMs)
    return Effect.sleep(ms)
  })
  return connectOnce.pipe(Effect.catchCause(logLoss), Effect.andThen(pause), Effect.forever)
}
