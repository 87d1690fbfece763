import type { StoreUnavailable } from "@tapeline/core"
import { Cause, Context, Effect, type Fiber, FiberSet, Layer, type Metric, Schedule, Stream } from "effect"
import type { ServerResponse } from "node:http"
import { Draining } from "../Draining.ts"
import { checkMs, type SentEvent, SocketReader, tickMs } from "./SocketReader.ts"
import { Tail } from "./Tail.ts"

/** A log that cannot be read is read again after so long; its readers wait meanwhile. */
const again = Schedule.spaced("1 second")

/** A log that any number may read. */
export interface Source {
  /** Sources of one name are one log. */
  readonly name: string
  /** The events above a number, those to come included; it ends when no other can follow. */
  readonly follow: (after: number) => Stream.Stream<SentEvent, StoreUnavailable>
  /** The log has no last event. A reader of any other log must reconnect until it has read the last event. */
  readonly isEndless?: true
  /** Counts the readers of sources of this kind. */
  readonly open: Metric.Gauge<number>
  /** The maximum number of readers in this process; unlimited when left out. */
  readonly atMost?: number
  /** Sources with the same `countedAs` share the maximum. The name of the source by default. */
  readonly countedAs?: string
}

/** How a source is read by one reader. */
export interface Reading {
  readonly source: Source
  /** The events above this number are written. */
  readonly after: number
  /** What is written before them, of this reader's own. */
  readonly opening?: Uint8Array | undefined
  /** Whether the reader may go on; checked every second. */
  readonly mayGoOn: Effect.Effect<boolean>
}

interface Followed {
  readonly tail: Tail
  fiber: Fiber.Fiber<void> | undefined
}

/** Reads a log on from wherever `after` says, again and again until it was read to its end. */
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

/** What feeds the readers of this process. */
class Feeds {
  readonly #followed = new Map<string, Followed>()
  readonly #run: (effect: Effect.Effect<void>) => Fiber.Fiber<void>

  constructor(run: (effect: Effect.Effect<void>) => Fiber.Fiber<void>) {
    this.#run = run
  }

  /** Has a reader fed with all that comes after what it has. What comes back lets go of it. */
  feed(source: Source, reader: SocketReader): () => void {
    const catching = this.#join(source, reader) ? undefined : this.#catchUp(source, reader)
    return () => {
      catching?.interruptUnsafe()
      this.#leave(source, reader)
    }
  }

  /** Runs what feeds readers. Where it fails in a way that nobody foresaw, they are broken off. */
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
    // It may end or break within this call.
    followed.fiber = this.#feeding(Effect.andThen(fed, Effect.sync(() => tail.end())), () => {
      if (this.#followed.get(source.name) === followed) this.#followed.delete(source.name)
      tail.break()
    })
    return followed
  }

  /** Adds a reader to those of the log's end; false when it lacks what came before. */
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

  /** Gives a reader the backlog, as fast as its socket takes it, until it joins the others. */
  #catchUp(source: Source, reader: SocketReader): Fiber.Fiber<void> {
    /** Writes events as the socket takes them; false once the reader has joined. */
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

/** How many readers there are, of each log and of each kind. */
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

/** Ends a reader as the process stops. If events are missing, breaks off the connection so that the client resumes. */
const leaveOff = (reader: SocketReader, { isEndless }: Source): void => isEndless === true ? reader.end() : reader.cut()

/** A reader that is fed. */
interface Fed {
  readonly source: Source
  readonly mayGoOn: Effect.Effect<boolean>
  release: () => void
}

/**
 * The readers of this process. A log is followed once for all that read its end; who comes later reads what it misses
 * by itself, as fast as its socket takes it, and joins the others then. So a reader costs a socket and a number.
 */
export class Streams extends Context.Service<Streams, {
  /**
   * Writes the events of a source above a number to a response that was handed over, those to come included, and ends
   * it when no event follows, or when the reader may not go on. When the process begins to stop, it breaks the
   * connection off before the end of the log. One more reader than the source may have is ended at once.
   */
  readonly read: (reading: Reading, response: ServerResponse) => void
  /** True while a source has as many readers as it may. */
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
      // Apart from what keeps readers awake, for a store may take its time; at once, so that look-ups travel together.
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
          // It may have been fed, and have ended, at once.
          if (reader.isOver) release()
          else fed.release = release
        }
      })
    })
  )
}
