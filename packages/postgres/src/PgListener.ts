import { PgClient, PgConnection } from "@effect/sql-pg"
import { Context, Effect, Exit, Layer, Queue, Scope, Stream } from "effect"
import { DirectSessions } from "./connection/DirectSessions.ts"
import { SideSessions } from "./connection/SideSessions.ts"
import { type Ear, Ears, type Gap, gap, type Notice } from "./listening/Ears.ts"
import { type Hearing, hearOn, keepListening } from "./listening/line.ts"

export type { Gap, Notice } from "./listening/Ears.ts"

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
 * fails nor ends. While no notices can be received, it is silent and `hears` is false. Readers that cannot wait must
 * query the store then.
 *
 * `hears` is true only if a notice that was sent with the client of the stores has just arrived. A connection that
 * merely responds may be a pooler's, which receives no notices, or lead to another database. If `hears` is true, all
 * notices that were committed more than two heartbeats ago have arrived.
 *
 * An embedded database has one process, which knows its own writes. Its streams contain only the first `Gap`.
 */
export class PgListener extends Context.Service<PgListener, {
  readonly listen: (channel: string) => Stream.Stream<Notice | Gap>
  readonly hears: Effect.Effect<boolean>
}>()("@tapeline/postgres/PgListener") {
  static readonly layer = (options: ListenerOptions = {}): Layer.Layer<PgListener, never, PgClient.PgClient> =>
    Layer.effect(
      PgListener,
      Effect.gen(function*() {
        const client = yield* PgClient.PgClient
        const ears = new Ears()
        if (client.driver === "pglite") return embedded(ears)
        const [direct, side] = yield* Effect.all([DirectSessions, SideSessions])
        const open = direct?.open ?? PgConnection.make({ ...client.config, multiplex: false })
        const hearing: Hearing = { line: null, upTo: Number.NEGATIVE_INFINITY }
        const heartbeatMs = options.heartbeatMs ?? 500
        yield* Effect.forkScoped(keepListening({ client: side?.pulse ?? client, open, ears, heartbeatMs }, hearing))
        return remote(ears, hearing, heartbeatMs)
      })
    )
}

/** The limit of PostgreSQL. */
const longestNameBytes = 63
const tooLong = `The name of a channel is longer than ${longestNameBytes} bytes`

/**
 * Makes the stream of one listener. `begin` runs at its start, and `unused` when the last listener of its channel ends.
 */
const streamOf = (
  ears: Ears,
  channel: string,
  on: { readonly begin: (ear: Ear) => Effect.Effect<void>; readonly unused: () => Effect.Effect<void> }
): Stream.Stream<Notice | Gap> =>
  Stream.unwrap(Effect.gen(function*() {
    if (Buffer.byteLength(channel) > longestNameBytes) return yield* Effect.die(new Error(tooLong))
    const ear = yield* Queue.unbounded<Notice | Gap>()
    yield* Effect.acquireRelease(
      Effect.sync(() => ears.add(channel, ear)),
      () => Effect.suspend(() => ears.remove(channel, ear) ? on.unused() : Effect.void)
    )
    yield* on.begin(ear)
    return Stream.fromQueue(ear)
  }))

/** An embedded database has no other process, and cannot use its one session for listening. */
const embedded = (ears: Ears): PgListener["Service"] =>
  PgListener.of({
    listen: (channel) =>
      streamOf(ears, channel, {
        begin: (ear) => Effect.asVoid(Queue.offer(ear, gap)),
        unused: () => Effect.void
      }),
    hears: Effect.succeed(true)
  })

const remote = (ears: Ears, hearing: Hearing, heartbeatMs: number): PgListener["Service"] =>
  PgListener.of({
    listen: (channel) =>
      streamOf(ears, channel, {
        // If the connection fails meanwhile, the next one reports the gap.
        begin: (ear) =>
          Effect.suspend(() => {
            const { line } = hearing
            return line === null ? Effect.void : Effect.map(Effect.exit(hearOn(line, ears, channel)), (exit) => {
              if (Exit.isSuccess(exit) && line.proven && line === hearing.line) Queue.offerUnsafe(ear, gap)
            })
          }),
        unused: () =>
          Effect.suspend(() => {
            const known = hearing.line?.channels.get(channel)
            hearing.line?.channels.delete(channel)
            // Runs in the background, because the peer may be silent.
            return known === undefined
              ? Effect.void
              : Effect.asVoid(Effect.forkDetach(Scope.close(known.scope, Exit.void)))
          })
      }),
    hears: Effect.sync(() => performance.now() - hearing.upTo <= 2 * heartbeatMs)
  })
