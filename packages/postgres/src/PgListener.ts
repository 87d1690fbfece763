import { PgClient, PgConnection } from "@effect/sql-pg"
import { Context, Effect, Exit, Layer, Queue, Scope, Stream } from "effect"
import { DirectSessions } from "./connection/DirectSessions.ts"
import { SideSessions } from "./connection/SideSessions.ts"
import { type Ear, Ears, type Gap, gap, type Notice } from "./listening/Ears.ts"
import { type Hearing, hearOn, keepListening } from "./listening/line.ts"

export type { Gap, Notice } from "./listening/Ears.ts"

/** Settings of the connection that listens. */
export interface ListenerOptions {
  /** How often the listener tells itself something, to know that it hears; 500 ms by default. */
  readonly heartbeatMs?: number | undefined
}

/**
 * Hears what is told on channels of the database, by this process or another, all on one connection of its own.
 *
 * A stream gives the notices of its channel in the order in which their transactions committed. It begins with a `Gap`,
 * as soon as the channel is heard, and has another after each interruption, as soon as it is heard again. So whoever
 * reads the store after each `Gap`, and then goes by the notices, misses nothing. A stream neither fails nor ends;
 * while the database cannot be heard it is silent, `hears` is false, and who cannot wait must ask the store.
 *
 * `hears` is true only when a notice that was sent by the way of the stores' own statements has just arrived here: a
 * connection that merely answers may be a pooler's, which hears nothing, or lead to another database. All that was
 * committed more than two heartbeats ago has then been told.
 *
 * An embedded database has one process, which knows what it wrote: there a stream gives its first `Gap` and no more.
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

/** PostgreSQL's own limit. */
const longestNameBytes = 63
const tooLong = `The name of a channel is longer than ${longestNameBytes} bytes`

/** A stream of what one ear hears, with what is to be done when it begins and when it was the last of its channel. */
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

/** In an embedded database there is no other process; its one session cannot be given to listening. */
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
        // A line that fails meanwhile is opened again, and tells the gap itself.
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
            // Nobody waits for a peer that may be silent.
            return known === undefined
              ? Effect.void
              : Effect.asVoid(Effect.forkDetach(Scope.close(known.scope, Exit.void)))
          })
      }),
    hears: Effect.sync(() => performance.now() - hearing.upTo <= 2 * heartbeatMs)
  })
