import { PgClient, PgConnection } from "@effect/sql-pg"
import { Context, Effect, Exit, Layer, Queue, Scope, Stream } from "effect"
import { BackgroundSessions, DirectSessions } from "./connection/sessions.ts"
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

/** The settings of the listening connection. */
export interface ListenerOptions {
  /** The interval in ms of the notices with which the listener tests that it receives notices; 500 by default. */
  readonly heartbeatMs?: number | undefined
}

/**
 * Receives notices on database channels from all processes, on a separate connection.
 *
 * A stream contains the notices of its channel, in the order in which their transactions committed. A stream begins
 * with a `Gap` as soon as the channel is listened to. After each interruption, the stream contains another `Gap` as
 * soon as listening works again. A reader that reads the store after each `Gap`, and then follows the notices, misses
 * no change. A stream neither fails nor ends. While no notices can be received, streams are silent and `isReceiving` is
 * false. Readers that cannot wait for notices must query the store meanwhile.
 *
 * `isReceiving` is true only if a test notice of the stores' client has just arrived. A response of the connection is
 * not sufficient, because a connection to a pooler receives no notices, and another database has other notices. If
 * `isReceiving` is true, all notices that were committed more than two heartbeats ago have arrived.
 *
 * An embedded database has only one process, which knows its own writes. The streams of an embedded database contain
 * only the first `Gap`.
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
        const [direct, side] = yield* Effect.all([DirectSessions, BackgroundSessions])
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

/** The maximum length of a PostgreSQL channel's name, in bytes. */
const maxChannelNameBytes = 63
const channelNameTooLong = `The name of a channel is longer than ${maxChannelNameBytes} bytes`

/**
 * Creates the stream of a listener. `onStart` runs when the listener starts, and `onUnused` when the last listener of
 * its channel ends.
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

/**
 * Creates the listener of an embedded database, which has no other process and cannot use its one session for
 * listening.
 */
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
        // If the connection fails meanwhile, the next connection reports the gap.
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
            // Runs in the background, because the database server may not respond.
            return subscription === undefined
              ? Effect.void
              : Effect.asVoid(Effect.forkDetach(Scope.close(subscription.scope, Exit.void)))
          })
      }),
    isReceiving: Effect.sync(() => performance.now() - state.receivedUntil <= 2 * heartbeatMs)
  })
