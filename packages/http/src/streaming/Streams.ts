import type { StoreUnavailable } from "@tapeline/core"
import { Cause, Context, Effect, type Fiber, FiberSet, Layer, type Metric, Schedule, Stream } from "effect"
import type { ServerResponse } from "node:http"
import { Draining } from "../Draining.ts"
import { checkMs, type SentEvent, SocketReader, tickMs } from "./SocketReader.ts"
import { Tail } from "./Tail.ts"

/** The pause between attempts to read a log that cannot be read. Its readers wait meanwhile. */
const again = Schedule.spaced("1 second")

/** A log for any number of readers. */
export interface Source {
  /** Sources with the same name are the same log. */
  readonly name: string
  /** The events above a number, including future ones. The stream ends when no further event can follow. */
  readonly follow: (after: number) => Stream.Stream<SentEvent, StoreUnavailable>
  /** The log has no last event. A reader of any other log must reconnect until it has read the last event. */
  readonly isEndless?: true
  /** Counts the readers of sources of this kind. */
  readonly open: Metric.Gauge<number>
  /** Maximum number of readers in this process; unlimited by default. */
  readonly atMost?: number
  /** Sources with the same `countedAs` share the maximum. The name of the source by default. */
  readonly countedAs?: string
}

/** How one reader reads a source. */
export interface Reading {
  readonly source: Source
  /** The reader receives the events above this number. */
  readonly after: number
  /** Bytes for only this reader, written before the events. */
  readonly opening?: Uint8Array | undefined
  /** Whether the reader is still allowed to read; checked every second. */
  readonly mayGoOn: Effect.Effect<boolean>
}

interface Followed {
  readonly tail: Tail
  fiber: Fiber.Fiber<void> | undefined
}

/** Reads a log from the number that `after` returns. Retries until the log has been read to its end. */
const reading = (
  { follow }: Source,
  after: () => number,
  each: (events: Stream.Stream<SentEvent, StoreUnavailable>) => Effect.Effect<void, StoreUnavailable>
): Effect.Effect<void> => {
  const once = Effect.suspend(() => each(follow(after())))
  return Effect.catch(once, (error) =>
    Effect.logWarning("store unavailable", Cause.fail(error)).pipe(
      Effect.andThen(Effect.sleep("1 second")),
      Effect.andThen(Effect.retry(once, again)),
      Effect.orDie
    ))
}

/** Sends events to the readers of this process. */
class Feeds {
  readonly #followed = new Map<string, Followed>()
  readonly #run: (effect: Effect.Effect<void>) => Fiber.Fiber<void>

  constructor(run: (effect: Effect.Effect<void>) => Fiber.Fiber<void>) {
    this.#run = run
  }

  /** Sends a reader all events after those that it has. The result is a function that stops this. */
  feed(source: Source, reader: SocketReader): () => void {
    const catching = this.#join(source, reader) ? undefined : this.#catchUp(source, reader)
    return () => {
      catching?.interruptUnsafe()
      this.#leave(source, reader)
    }
  }

  /**
   * Runs an effect that sends events to readers. If it fails unexpectedly, runs `broken`, which disconnects the
   * readers.
   */
  #feeding(effect: Effect.Effect<void>, broken: () => void): Fiber.Fiber<void> {
    return this.#run(Effect.catchDefect(
      effect,
      (defect) => Effect.andThen(Effect.logError("unexpected failure", defect), Effect.sync(broken))
    ))
  }

  #follow(source: Source, after: number): Followed {
    const tail = new Tail(after)
    const followed: Followed = { tail, fiber: undefined }
    this.#followed.set(source.name, followed)
    const fed = reading(
      source,
      () => tail.last,
      (events) => Stream.runForEachArray(events, (some) => Effect.sync(() => tail.take(some)))
    )
    // The effect may end or break within this call.
    followed.fiber = this.#feeding(Effect.andThen(fed, Effect.sync(() => tail.end())), () => {
      if (this.#followed.get(source.name) === followed) this.#followed.delete(source.name)
      tail.break()
    })
    return followed
  }

  /** Adds a reader to the tail of the log. Returns false if the reader lacks earlier events. */
  #join(source: Source, reader: SocketReader): boolean {
    const { tail } = this.#followed.get(source.name) ?? this.#follow(source, reader.sent)
    const isReached = tail.reaches(reader)
    if (isReached) tail.add(reader)
    return isReached
  }

  #leave({ name }: Source, reader: SocketReader): void {
    const followed = this.#followed.get(name)
    if (followed === undefined) return
    followed.tail.remove(reader)
    if (followed.tail.readers.size > 0) return
    this.#followed.delete(name)
    followed.fiber?.interruptUnsafe()
  }

  /** Sends a reader the backlog, as fast as its socket accepts it, until the reader joins the tail. */
  #catchUp(source: Source, reader: SocketReader): Fiber.Fiber<void> {
    /** Writes events as the socket accepts them. Returns false once the reader has joined the tail. */
    const write = (events: ReadonlyArray<SentEvent>) =>
      Effect.callback<boolean>((resume) => {
        let next = 0
        const goOn = () => {
          while (next < events.length && !reader.isBlocked) reader.write(events[next++]!)
          if (reader.isBlocked) reader.onRoom = goOn
          else resume(Effect.sync(() => !this.#join(source, reader)))
        }
        goOn()
      })
    let isJoined = false
    const caughtUp = reading(
      source,
      () => reader.sent,
      (events) =>
        Stream.runForEachWhile(Stream.chunks(events), (some) =>
          Effect.map(write(some), (goesOn) => {
            isJoined = !goesOn
            return goesOn
          }))
    )
    return this.#feeding(
      Effect.andThen(caughtUp, Effect.sync(() => isJoined ? undefined : reader.end())),
      () => reader.cut()
    )
  }
}

/** The number of readers of each log and of each kind. */
class Counts {
  readonly #ofLog = new Map<string, number>()
  readonly #ofKind = new Map<Metric.Gauge<number>, number>()
  readonly #context: Context.Context<never>

  constructor(context: Context.Context<never>) {
    this.#context = context
  }

  isFull({ atMost, countedAs, name }: Source): boolean {
    return atMost !== undefined && (this.#ofLog.get(countedAs ?? name) ?? 0) >= atMost
  }

  add({ countedAs, name, open }: Source, more: 1 | -1): void {
    const log = countedAs ?? name
    const [ofLog, ofKind] = [(this.#ofLog.get(log) ?? 0) + more, (this.#ofKind.get(open) ?? 0) + more]
    if (ofLog > 0) this.#ofLog.set(log, ofLog)
    else this.#ofLog.delete(log)
    this.#ofKind.set(open, ofKind)
    open.updateUnsafe(ofKind, this.#context)
  }
}

/** Ends a reader when the process stops. If events are missing, breaks the connection so that the client resumes. */
const leaveOff = (reader: SocketReader, { isEndless }: Source): void => isEndless === true ? reader.end() : reader.cut()

/** A reader that receives events. */
interface Fed {
  readonly source: Source
  readonly mayGoOn: Effect.Effect<boolean>
  release: () => void
}

/**
 * The readers of this process. Each log is followed once for all readers that have reached its end. A later reader
 * first reads its backlog, as fast as its socket accepts it, and then joins the others. A reader therefore costs only a
 * socket and a number.
 */
export class Streams extends Context.Service<Streams, {
  /**
   * Writes the events of a source above a number to a response that was taken over, including future events. Ends the
   * response when no event can follow, or when the reader is no longer allowed to read. When the process begins to
   * stop, breaks the connection before the end of the log. Ends the response at once if the source already has its
   * maximum of readers.
   */
  readonly read: (reading: Reading, response: ServerResponse) => void
  /** Whether a source has its maximum number of readers. */
  readonly isFull: (source: Source) => boolean
}>()("@tapeline/http/Streams") {
  static readonly layer: Layer.Layer<Streams, never, Draining> = Layer.effect(
    Streams,
    Effect.gen(function*() {
      const draining = yield* Draining
      const counts = new Counts(yield* Effect.context())
      const feeds = new Feeds(yield* FiberSet.makeRuntime<never, void, never>())
      const readers = new Map<SocketReader, Fed>()
      let isStopping = false
      const repeatEvery = (ms: number, work: Effect.Effect<void>) =>
        Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(ms), work)))
      yield* repeatEvery(
        tickMs,
        Effect.sync(() => {
          for (const reader of readers.keys()) reader.tick()
        })
      )
      // Separate from the heartbeats, because a store may be slow. All checks start at once, so that their look-ups are
      // batched.
      yield* repeatEvery(
        checkMs,
        Effect.suspend(() =>
          Effect.forEach(
            [...readers],
            ([reader, { mayGoOn }]) => Effect.map(mayGoOn, (may) => may ? undefined : reader.end()),
            { concurrency: 512, discard: true }
          )
        )
      )
      const stop = Effect.sync(() => {
        isStopping = true
        for (const [reader, { source }] of readers) leaveOff(reader, source)
      })
      yield* Effect.forkScoped(Effect.andThen(draining.begun, stop))
      yield* Effect.addFinalizer(() => stop)

      const leave = (reader: SocketReader) => {
        const fed = readers.get(reader)
        if (fed === undefined) return
        readers.delete(reader)
        fed.release()
        counts.add(fed.source, -1)
      }
      return Streams.of({
        isFull: (source) => counts.isFull(source),
        read: ({ after, mayGoOn, opening, source }, response) => {
          const reader = new SocketReader(response, after, leave)
          if (reader.isOver) return
          if (isStopping) return leaveOff(reader, source)
          if (counts.isFull(source)) return reader.end()
          const fed: Fed = { source, mayGoOn, release: () => undefined }
          readers.set(reader, fed)
          counts.add(source, 1)
          if (opening !== undefined) reader.write({ n: after, bytes: opening })
          const release = feeds.feed(source, reader)
          // The reader may have received everything and ended within `feed`.
          if (reader.isOver) release()
          else fed.release = release
        }
      })
    })
  )
}
