import { Analyst, type LoggedEvent, type StoreUnavailable } from "@tapeline/core"
import { Context, Effect, type Fiber, FiberSet, Layer, Schedule, Stream } from "effect"
import type { ServerResponse } from "node:http"
import { Draining } from "../Draining.ts"
import { eventBytes } from "./eventBytes.ts"
import { openStreams } from "./measures.ts"
import { SocketReader, tickMs } from "./SocketReader.ts"
import { Tail } from "./Tail.ts"

/** A log that cannot be read is read again after so long; its readers wait meanwhile. */
const again = Schedule.spaced("1 second")

interface Followed {
  readonly tail: Tail
  readonly fiber: Fiber.Fiber<void>
}

/** What feeds the readers of this process. */
class Feeds {
  readonly #followed = new Map<number, Followed>()
  readonly #analyst: Analyst["Service"]
  readonly #run: (effect: Effect.Effect<void>) => Fiber.Fiber<void>

  constructor(analyst: Analyst["Service"], run: (effect: Effect.Effect<void>) => Fiber.Fiber<void>) {
    this.#analyst = analyst
    this.#run = run
  }

  /** Has a reader fed with all that comes after what it has. What comes back lets go of it. */
  feed(generation: number, reader: SocketReader): () => void {
    const catching = this.#join(generation, reader) ? undefined : this.#catchUp(generation, reader)
    return () => {
      catching?.interruptUnsafe()
      this.#leave(generation, reader)
    }
  }

  /** Reads a log on from wherever `after` says, again and again until it was read to its end. */
  #reading(
    generation: number,
    after: () => number,
    each: (events: Stream.Stream<LoggedEvent, StoreUnavailable>) => Effect.Effect<void, StoreUnavailable>
  ): Effect.Effect<void> {
    const once = Effect.suspend(() => each(this.#analyst.follow(generation, after())))
    return Effect.catch(once, (error) =>
      Effect.logWarning("store unavailable", error).pipe(
        Effect.andThen(Effect.sleep("1 second")),
        Effect.andThen(Effect.retry(once, again)),
        Effect.orDie
      ))
  }

  /** Runs what feeds readers. Where it fails in a way that nobody foresaw, they are broken off. */
  #feeding(effect: Effect.Effect<void>, broken: () => void): Fiber.Fiber<void> {
    return this.#run(Effect.catchDefect(
      effect,
      (defect) => Effect.andThen(Effect.logError("unexpected failure", defect), Effect.sync(broken))
    ))
  }

  #follow(generation: number, after: number): Followed {
    const tail = new Tail(after)
    const fed = this.#reading(
      generation,
      () => tail.last,
      (events) =>
        Stream.runForEachArray(
          events,
          (some) => Effect.sync(() => tail.take(some.map((event) => eventBytes(generation, event))))
        )
    )
    const fiber = this.#feeding(Effect.andThen(fed, Effect.sync(() => tail.end())), () => {
      if (this.#followed.get(generation)?.tail === tail) this.#followed.delete(generation)
      for (const reader of tail.readers) reader.cut()
    })
    return { tail, fiber }
  }

  /** Adds a reader to those of the log's end; false when it lacks what came before. */
  #join(generation: number, reader: SocketReader): boolean {
    const found = this.#followed.get(generation) ?? this.#follow(generation, reader.sent)
    this.#followed.set(generation, found)
    const isReached = found.tail.reaches(reader)
    if (isReached) found.tail.add(reader)
    return isReached
  }

  #leave(generation: number, reader: SocketReader): void {
    const found = this.#followed.get(generation)
    if (found === undefined) return
    found.tail.remove(reader)
    if (found.tail.readers.size > 0) return
    this.#followed.delete(generation)
    found.fiber.interruptUnsafe()
  }

  /** Gives a reader the backlog, as fast as its socket takes it, until it joins the others. */
  #catchUp(generation: number, reader: SocketReader): Fiber.Fiber<void> {
    /** Writes an event, and waits for the socket to take it; false once the reader has joined. */
    const write = (event: LoggedEvent) =>
      Effect.callback<boolean>((resume) => {
        const goOn = () => resume(Effect.sync(() => !this.#join(generation, reader)))
        reader.write(eventBytes(generation, event))
        if (reader.isBlocked) reader.onRoom = goOn
        else goOn()
      })
    let isJoined = false
    const caughtUp = this.#reading(
      generation,
      () => reader.sent,
      (events) =>
        Stream.runForEachWhile(events, (event) =>
          Effect.map(write(event), (goesOn) => {
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

/**
 * The readers of this process. A log is followed once for all that read its end; who comes later reads what it misses
 * by itself, as fast as its socket takes it, and joins the others then. So a reader costs a socket and a number.
 */
export class Streams extends Context.Service<Streams, {
  /**
   * Takes over a response whose head is written: writes the events of a generation above a number to it, those to come
   * included, and ends it when no event follows or the process begins to stop. Whoever wrote the head is done with it:
   * its `end` does nothing, so that nothing of the exchange stays in memory for as long as the stream lasts.
   */
  readonly takeOver: (generation: number, after: number, response: ServerResponse) => void
}>()("@tapeline/http/Streams") {
  static readonly layer: Layer.Layer<Streams, never, Analyst | Draining> = Layer.effect(
    Streams,
    Effect.gen(function*() {
      const draining = yield* Draining
      const context = yield* Effect.context()
      const feeds = new Feeds(yield* Analyst, yield* FiberSet.makeRuntime<never, void, never>())
      const readers = new Map<SocketReader, () => void>()
      let isStopping = false
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(
        Effect.sleep(tickMs),
        Effect.sync(() => {
          for (const reader of readers.keys()) reader.tick()
        })
      )))
      const stop = () => {
        isStopping = true
        for (const reader of readers.keys()) reader.end()
      }
      yield* Effect.forkScoped(Effect.andThen(draining.begun, Effect.sync(stop)))

      const leave = (reader: SocketReader) => {
        const release = readers.get(reader)
        readers.delete(reader)
        release?.()
        openStreams.updateUnsafe(readers.size, context)
      }
      return Streams.of({
        takeOver: (generation, after, response) => {
          Object.assign(response, { end: () => response })
          const reader = new SocketReader(response, after, leave)
          readers.set(reader, () => undefined)
          const release = isStopping ? undefined : feeds.feed(generation, reader)
          if (isStopping) reader.end()
          // It may have been fed, and have ended, at once.
          if (reader.isOver) release?.()
          else if (release !== undefined) {
            readers.set(reader, release)
            openStreams.updateUnsafe(readers.size, context)
            reader.open()
          }
        }
      })
    })
  )
}
