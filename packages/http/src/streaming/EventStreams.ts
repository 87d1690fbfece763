import type { StoreUnavailable } from "@tapeline/core"
import { Cause, Context, Effect, type Fiber, FiberSet, Layer, type Metric, Schedule, Stream } from "effect"
import type { ServerResponse } from "node:http"
import { Draining } from "../Draining.ts"
import { LogTail } from "./LogTail.ts"
import { permissionCheckMs, SocketReader, type StreamEvent, tickMs } from "./SocketReader.ts"

const retryEverySecond = Schedule.spaced("1 second")

export interface EventLog {
  /** The name that identifies the event log. */
  readonly name: string
  /** Returns all present and future events with numbers above `after`, up to the last event of the log. */
  readonly follow: (after: number) => Stream.Stream<StreamEvent, StoreUnavailable>
  /** True if the log has no last event. A reader of a log with an end must reconnect until the last event arrives. */
  readonly isEndless?: true
  /** The gauge that counts the open readers of all logs of the same kind. */
  readonly openReaders: Metric.Gauge<number>
  /** The maximum number of readers of a log in the process; unlimited by default. */
  readonly maxReaders?: number
  /**
   * The name of a group of logs. `maxReaders` limits the readers of all logs in the group together. Without a
   * `limitGroup`, each log has its own limit.
   */
  readonly limitGroup?: string
}

export interface Subscription {
  readonly source: EventLog
  readonly after: number
  /** The bytes that only this reader receives, before the events of the log. */
  readonly initialBytes?: Uint8Array | undefined
  /** Returns whether the reader may still read the log; checked every second. */
  readonly isStillAuthorized: Effect.Effect<boolean>
}

interface FollowedLog {
  readonly tail: LogTail
  fiber: Fiber.Fiber<void> | undefined
}

/** Reads a log from the event after `lastRead()`, and retries until the log has been read to its end. */
const followWithRetry = (
  { follow }: EventLog,
  lastRead: () => number,
  consume: (events: Stream.Stream<StreamEvent, StoreUnavailable>) => Effect.Effect<void, StoreUnavailable>
): Effect.Effect<void> => {
  const attempt = Effect.suspend(() => consume(follow(lastRead())))
  return Effect.catch(attempt, (error) =>
    Effect.logWarning("store unavailable", Cause.fail(error)).pipe(
      Effect.andThen(Effect.sleep("1 second")),
      Effect.andThen(Effect.retry(attempt, retryEverySecond)),
      Effect.orDie
    ))
}

/** Reads the events of each followed log once, and sends the events to all readers in the process. */
class LogFollower {
  readonly #followedLogs = new Map<string, FollowedLog>()
  readonly #run: (effect: Effect.Effect<void>) => Fiber.Fiber<void>

  constructor(run: (effect: Effect.Effect<void>) => Fiber.Fiber<void>) {
    this.#run = run
  }

  /** Sends a reader all events after the reader's last event. Returns a function that unsubscribes the reader. */
  subscribe(source: EventLog, reader: SocketReader): () => void {
    const catchUpFiber = this.#joinTail(source, reader) ? undefined : this.#catchUp(source, reader)
    return () => {
      catchUpFiber?.interruptUnsafe()
      this.#unsubscribe(source, reader)
    }
  }

  /** Runs an effect that sends events to readers, and runs `onDefect` after an unexpected failure. */
  #runFeed(effect: Effect.Effect<void>, onDefect: () => void): Fiber.Fiber<void> {
    return this.#run(Effect.catchDefect(
      effect,
      (defect) => Effect.andThen(Effect.logError("unexpected failure", defect), Effect.sync(onDefect))
    ))
  }

  #follow(source: EventLog, after: number): FollowedLog {
    const tail = new LogTail(after)
    const followed: FollowedLog = { tail, fiber: undefined }
    this.#followedLogs.set(source.name, followed)
    const feed = followWithRetry(
      source,
      () => tail.last,
      (events) => Stream.runForEachArray(events, (batch) => Effect.sync(() => tail.append(batch)))
    )
    // The feed may already have ended when `#runFeed` returns.
    followed.fiber = this.#runFeed(Effect.andThen(feed, Effect.sync(() => tail.end())), () => {
      if (this.#followedLogs.get(source.name) === followed) this.#followedLogs.delete(source.name)
      tail.fail()
    })
    return followed
  }

  /**
   * Adds a reader to the `LogTail` of a log. Returns false if the `LogTail` lacks events that the reader still needs.
   */
  #joinTail(source: EventLog, reader: SocketReader): boolean {
    const { tail } = this.#followedLogs.get(source.name) ?? this.#follow(source, reader.lastSent)
    const continuesTail = tail.continuesFrom(reader)
    if (continuesTail) tail.add(reader)
    return continuesTail
  }

  #unsubscribe({ name }: EventLog, reader: SocketReader): void {
    const followed = this.#followedLogs.get(name)
    if (followed === undefined) return
    followed.tail.remove(reader)
    if (followed.tail.readers.size > 0) return
    this.#followedLogs.delete(name)
    followed.fiber?.interruptUnsafe()
  }

  /**
   * Sends a reader the older events of a log as fast as the socket accepts the events. Ends when the reader has joined
   * the log's `LogTail`.
   */
  #catchUp(source: EventLog, reader: SocketReader): Fiber.Fiber<void> {
    /**
     * Writes events to the reader's socket, and then tries to add the reader to the tail of the log. Returns true if
     * the reader still needs older events.
     */
    const write = (events: ReadonlyArray<StreamEvent>) =>
      Effect.callback<boolean>((resume) => {
        let next = 0
        const writeNext = () => {
          while (next < events.length && !reader.isBlocked) reader.write(events[next++]!)
          if (reader.isBlocked) reader.onWritable = writeNext
          else resume(Effect.sync(() => !this.#joinTail(source, reader)))
        }
        writeNext()
      })
    let isJoined = false
    const backlog = followWithRetry(
      source,
      () => reader.lastSent,
      (events) =>
        Stream.runForEachWhile(Stream.chunks(events), (batch) =>
          Effect.map(write(batch), (isBehind) => {
            isJoined = !isBehind
            return isBehind
          }))
    )
    return this.#runFeed(
      Effect.andThen(backlog, Effect.sync(() => isJoined ? undefined : reader.end())),
      () => reader.disconnect()
    )
  }
}

class ReaderCounts {
  readonly #byLimitGroup = new Map<string, number>()
  readonly #byKind = new Map<Metric.Gauge<number>, number>()
  readonly #context: Context.Context<never>

  constructor(context: Context.Context<never>) {
    this.#context = context
  }

  isFull({ maxReaders, limitGroup, name }: EventLog): boolean {
    return maxReaders !== undefined && (this.#byLimitGroup.get(limitGroup ?? name) ?? 0) >= maxReaders
  }

  add({ limitGroup: givenGroup, name, openReaders }: EventLog, change: 1 | -1): void {
    const limitGroup = givenGroup ?? name
    const [ofLog, ofKind] = [
      (this.#byLimitGroup.get(limitGroup) ?? 0) + change,
      (this.#byKind.get(openReaders) ?? 0) + change
    ]
    if (ofLog > 0) this.#byLimitGroup.set(limitGroup, ofLog)
    else this.#byLimitGroup.delete(limitGroup)
    this.#byKind.set(openReaders, ofKind)
    openReaders.updateUnsafe(ofKind, this.#context)
  }
}

/**
 * Stops a reader when the process stops or events are missing. If the log is not endless, breaks the connection, so
 * that the client reconnects and resumes.
 */
const stopReader = (reader: SocketReader, { isEndless }: EventLog): void =>
  isEndless === true ? reader.end() : reader.disconnect()

interface ActiveReader {
  readonly source: EventLog
  readonly isStillAuthorized: Effect.Effect<boolean>
  release: () => void
}

/**
 * Sends the events of logs to all readers in the process. Each log is read once for all readers that have reached the
 * end of the log. A reader of older events first catches up and then joins the readers at the end of the log.
 */
export class EventStreams extends Context.Service<EventStreams, {
  /**
   * Writes the events of a log to a Node response. Stops after the last event, or when the reader may no longer read
   * the log. If the log already has its maximum number of readers, the response ends at once. If the process stops
   * before the end of the log, the connection of the reader is broken.
   */
  readonly start: (subscription: Subscription, response: ServerResponse) => void
  readonly isFull: (source: EventLog) => boolean
}>()("@tapeline/http/EventStreams") {
  static readonly layer: Layer.Layer<EventStreams, never, Draining> = Layer.effect(
    EventStreams,
    Effect.gen(function*() {
      const draining = yield* Draining
      const readerCounts = new ReaderCounts(yield* Effect.context())
      const follower = new LogFollower(yield* FiberSet.makeRuntime<never, void, never>())
      const readers = new Map<SocketReader, ActiveReader>()
      let isStopping = false
      const repeatEvery = (ms: number, work: Effect.Effect<void>) =>
        Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(ms), work)))
      yield* repeatEvery(
        tickMs,
        Effect.sync(() => {
          for (const reader of readers.keys()) reader.tick()
        })
      )
      // The permission checks run separately from the heartbeats, so that a slow store does not delay the heartbeats.
      // All checks start at once, so that their look-ups are batched.
      yield* repeatEvery(
        permissionCheckMs,
        Effect.suspend(() =>
          Effect.forEach(
            [...readers],
            ([reader, { isStillAuthorized }]) =>
              Effect.map(isStillAuthorized, (isAuthorized) => isAuthorized ? undefined : reader.end()),
            { concurrency: 512, discard: true }
          )
        )
      )
      const stop = Effect.sync(() => {
        isStopping = true
        for (const [reader, { source }] of readers) stopReader(reader, source)
      })
      yield* Effect.forkScoped(Effect.andThen(draining.awaitBegin, stop))
      yield* Effect.addFinalizer(() => stop)

      const onReaderEnd = (reader: SocketReader) => {
        const activeReader = readers.get(reader)
        if (activeReader === undefined) return
        readers.delete(reader)
        activeReader.release()
        readerCounts.add(activeReader.source, -1)
      }
      return EventStreams.of({
        isFull: (source) => readerCounts.isFull(source),
        start: ({ after, isStillAuthorized, initialBytes, source }, response) => {
          const reader = new SocketReader(response, after, onReaderEnd)
          if (reader.hasEnded) return
          if (isStopping) return stopReader(reader, source)
          if (readerCounts.isFull(source)) return reader.end()
          const activeReader: ActiveReader = { source, isStillAuthorized, release: () => undefined }
          readers.set(reader, activeReader)
          readerCounts.add(source, 1)
          if (initialBytes !== undefined) reader.write({ sequence: after, bytes: initialBytes })
          const release = follower.subscribe(source, reader)
          // The reader may have ended during `subscribe`, because it received all events.
          if (reader.hasEnded) release()
          else activeReader.release = release
        }
      })
    })
  )
}
