import { PgClient, PgConnection } from "@effect/sql-pg"
import { Context, Effect, Exit, Layer, Queue, Scope, Stream } from "effect"
import { BackgroundSessions, DirectSessions } from "./connection/sessions.ts"
import {
  type Gap,
  gap,
  HeartbeatDemand,
  keepListening,
  type ListenerQueue,
  Listeners,
  type ListenerState,
  type Notice,
  subscribe
} from "./listening/listenerConnection.ts"

export type { Gap, Notice } from "./listening/listenerConnection.ts"

/** The settings of the connection that listens for notices. */
export interface ListenerOptions {
  /**
   * The interval of the test notices in ms, 500 by default; a test notice shows that the connection receives notices.
   * If `isReceiving` was not read recently, the interval is ten times as long, because each test notice is a commit.
   */
  readonly heartbeatMs?: number | undefined
}

/**
 * Receives notices on database channels from all processes, on a separate connection. A stream contains the notices of
 * a channel, in the order in which their transactions committed. A stream contains a `Gap` when listening begins, and
 * another `Gap` after each interruption. After each `Gap`, a reader must read the store, because earlier notices may be
 * missing. While no notices can be received, streams stay silent, and `isReceiving` is false. A reader that cannot wait
 * for notices must query the store while `isReceiving` is false. `isReceiving` is true only after a recent test notice.
 * The first read of `isReceiving` after an idle period is therefore often false, and causes a test notice. An open
 * connection does not prove that notices arrive, because a pooler responds but forwards no notices. If `isReceiving` is
 * true, all notices that were committed more than two heartbeats ago have arrived. The streams of an embedded database
 * contain only the first `Gap`, because an embedded database has only one process.
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
        const state: ListenerState = {
          connection: null,
          receivedUntil: Number.NEGATIVE_INFINITY,
          demand: new HeartbeatDemand()
        }
        const heartbeatMs = options.heartbeatMs ?? 500
        yield* Effect.forkScoped(
          keepListening({ client: side?.healthClient ?? client, openSession, listeners, heartbeatMs }, state)
        )
        return makeServerListener(listeners, state, heartbeatMs)
      })
    )
}

const maxChannelNameBytes = 63
const channelNameTooLong = `The name of a channel is longer than ${maxChannelNameBytes} bytes`

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

/** Creates the listener of an embedded database, which cannot use its one session for listening. */
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
            // A subscription is closed in the background, because the database server may not respond.
            return subscription === undefined
              ? Effect.void
              : Effect.asVoid(Effect.forkDetach(Scope.close(subscription.scope, Exit.void)))
          })
      }),
    isReceiving: Effect.sync(() => {
      state.demand.add()
      return performance.now() - state.receivedUntil <= 2 * heartbeatMs
    })
  })
