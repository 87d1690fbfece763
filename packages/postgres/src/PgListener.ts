import { PgClient, PgConnection } from "@effect/sql-pg"
import { Context, Effect, Exit, Layer, Queue, Scope, Stream } from "effect"
import { AdminSessions, DirectSessions } from "./connection/sessions.ts"
import {
  type Gap,
  gap,
  keepListening,
  type ListenerQueue,
  Listeners,
  type ListenerState,
  type Notice,
  subscribe
} from "./listening/listenerConnection.ts"

export type { Gap, Notice } from "./listening/listenerConnection.ts"

/** Settings of the connection that listens. */
export interface ListenerOptions {
  /** The interval of the notices by which the listener checks that it receives notices; 500 ms by default. */
  readonly heartbeatMs?: number | undefined
}

/**
 * Receives notices on channels of the database, from all processes, on one separate connection.
 *
 * A stream contains the notices of its channel, in the order in which their transactions committed. It begins with a
 * `Gap` as soon as the channel is listened to. After each interruption, it has another `Gap` as soon as listening works
 * again. A reader that reads the store after each `Gap`, and then follows the notices, misses nothing. A stream neither
 * fails nor ends. While no notices can be received, it is silent and `isReceiving` is false. Readers that cannot wait
 * must query the store then.
 *
 * `isReceiving` is true only if a notice that was sent with the client of the stores has just arrived. A connection
 * that merely responds may be a pooler's, which receives no notices, or lead to another database. If `isReceiving` is
 * true, all notices that were committed more than two heartbeats ago have arrived.
 *
 * An embedded database has one process, which knows its own writes. Its streams contain only the first `Gap`.
 */
export class PgListener extends Context.Service<PgListener, {
  readonly listen: (channel: string) => Stream.Stream<Notice | Gap>
  readonly isReceiving: Effect.Effect<boolean>
}>()("@tapeline/postgres/PgListener") {
  static readonly layer = (options: ListenerOptions = {}): Layer.Layer<PgListener, never, PgClient.PgClient> =>
    Layer.effect(
      PgListener,
      Effect.gen(function*() {
        const client = yield* PgClient.PgClient
        const listeners = new Listeners()
        if (client.driver === "pglite") return makeEmbeddedListener(listeners)
        const [direct, side] = yield* Effect.all([DirectSessions, AdminSessions])
        const openSession = direct?.openSession ?? PgConnection.make({ ...client.config, multiplex: false })
        const state: ListenerState = { connection: null, receivedUntil: Number.NEGATIVE_INFINITY }
        const heartbeatMs = options.heartbeatMs ?? 500
        yield* Effect.forkScoped(
          keepListening({ client: side?.healthClient ?? client, openSession, listeners, heartbeatMs }, state)
        )
        return makeServerListener(listeners, state, heartbeatMs)
      })
    )
}

/** The limit of PostgreSQL. */
const maxChannelNameBytes = 63
const channelNameTooLong = `The name of a channel is longer than ${maxChannelNameBytes} bytes`

/**
 * Makes the stream of one listener. `onStart` runs at its start, and `onUnused` when the last listener of its channel
 * ends.
 */
const makeChannelStream = (
  listeners: Listeners,
  channel: string,
  callbacks: {
    readonly onStart: (queue: ListenerQueue) => Effect.Effect<void>
    readonly onUnused: () => Effect.Effect<void>
  }
): Stream.Stream<Notice | Gap> =>
  Stream.unwrap(Effect.gen(function*() {
    if (Buffer.byteLength(channel) > maxChannelNameBytes) return yield* Effect.die(new Error(channelNameTooLong))
    const queue = yield* Queue.unbounded<Notice | Gap>()
    yield* Effect.acquireRelease(
      Effect.sync(() => listeners.add(channel, queue)),
      () => Effect.suspend(() => listeners.remove(channel, queue) ? callbacks.onUnused() : Effect.void)
    )
    yield* callbacks.onStart(queue)
    return Stream.fromQueue(queue)
  }))

/** An embedded database has no other process, and cannot use its one session for listening. */
const makeEmbeddedListener = (listeners: Listeners): PgListener["Service"] =>
  PgListener.of({
    listen: (channel) =>
      makeChannelStream(listeners, channel, {
        onStart: (queue) => Effect.asVoid(Queue.offer(queue, gap)),
        onUnused: () => Effect.void
      }),
    isReceiving: Effect.succeed(true)
  })

const makeServerListener = (listeners: Listeners, state: ListenerState, heartbeatMs: number): PgListener["Service"] =>
  PgListener.of({
    listen: (channel) =>
      makeChannelStream(listeners, channel, {
        // If the connection fails meanwhile, the next one reports the gap.
        onStart: (queue) =>
          Effect.suspend(() => {
            const { connection } = state
            return connection === null ?
              Effect.void :
              Effect.map(Effect.exit(subscribe(connection, listeners, channel)), (exit) => {
                if (Exit.isSuccess(exit) && connection.isVerified && connection === state.connection) {
                  Queue.offerUnsafe(queue, gap)
                }
              })
          }),
        onUnused: () =>
          Effect.suspend(() => {
            const subscription = state.connection?.channels.get(channel)
            state.connection?.channels.delete(channel)
            // Runs in the background, because the peer may be silent.
            return subscription === undefined
              ? Effect.void
              : Effect.asVoid(Effect.forkDetach(Scope.close(subscription.scope, Exit.void)))
          })
      }),
    isReceiving: Effect.sync(() => performance.now() - state.receivedUntil <= 2 * heartbeatMs)
  })
