import { DeadlineExceeded, UnexpectedAnswer } from "../errors.ts"
import { Part, sleep } from "../platform.ts"
import { type CallOptions, soundTimeout } from "../settings.ts"
import { type Asked, type Connection, nameOf } from "../transport/Connection.ts"
import { Passing, waitMs } from "../transport/Passing.ts"
import { serverEvents } from "../transport/serverEvents.ts"
import { type BellEvent, bellEventOf } from "./BellEvent.ts"

/** The options of the notification stream. */
export interface BellOptions extends CallOptions {
  /** The id of the last known event. The stream begins with the stored notifications after it. */
  readonly after?: number | undefined
}

const idOf = (after: number | undefined): number | undefined => {
  if (after === undefined || (Number.isSafeInteger(after) && after >= 0)) return after
  throw new TypeError("Tapeline client: after must be the id of an event, such as 42")
}

/**
 * The account's notifications, each once and in order, across lost connections. The stream has no end. Can be read
 * once, and sends nothing until it is read.
 */
export class BellStream implements AsyncIterableIterator<BellEvent> {
  readonly #connection: Connection
  readonly #options: BellOptions
  readonly #whole: Part
  readonly #left = new Error("left")
  readonly #events: AsyncGenerator<BellEvent, void, void>
  #lastId: number | undefined
  /** When the connection was lost, and how many connections have failed since the last data. */
  #lostAt: number | undefined
  #failures = 0
  #isHeard = false

  constructor(connection: Connection, options: BellOptions) {
    this.#connection = connection
    this.#options = options
    this.#lastId = idOf(options.after)
    this.#whole = new Part(options.signal)
    this.#events = this.#follow()
  }

  /** The id of the last event that was read. With it, another process or a reloaded page can continue. */
  get last_event_id(): number | undefined {
    return this.#lastId
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<BellEvent, void>> {
    return this.#events.next()
  }

  /** Stops reading and closes the connection. */
  async return(): Promise<IteratorResult<BellEvent, void>> {
    this.#whole.abort(this.#left)
    await this.#events.return()
    this.#whole.leave()
    return { done: true, value: undefined }
  }

  get #asked(): Asked {
    const lastId = this.#lastId
    return {
      method: "GET",
      path: "/v1/notifications/stream",
      headers: {
        accept: "text/event-stream, application/problem+json",
        "last-event-id": lastId === undefined ? undefined : String(lastId)
      },
      options: this.#options
    }
  }

  async *#follow(): AsyncGenerator<BellEvent, void, void> {
    const { platform } = this.#connection
    const timeoutMs = soundTimeout(this.#options.timeout_ms)
    if (timeoutMs !== undefined) {
      this.#whole.abortAfter(platform, timeoutMs, () => new DeadlineExceeded(nameOf(this.#asked), timeoutMs))
    }
    try {
      for (;;) await this.#pause(yield* this.#untilLost())
    } catch (error) {
      const { aborted, reason } = this.#whole.signal
      if (!aborted) throw error
      if (reason !== this.#left) throw reason
    } finally {
      this.#whole.leave()
    }
  }

  /** Reads from one connection. Returns its failure if another try may succeed. */
  async *#untilLost(): AsyncGenerator<BellEvent, Passing, void> {
    const part = new Part(this.#whole.signal)
    try {
      yield* this.#overOne(part)
      return new Passing(new Error("the stream ended"))
    } catch (error) {
      if (this.#whole.signal.aborted) throw error
      if (error instanceof Passing) return error
      // The error page of a proxy. The service was reached before, so a later try may reach it.
      if (error instanceof UnexpectedAnswer && this.#isHeard) return new Passing(error, { refused: error })
      throw error
    } finally {
      part.leave()
      part.abort(this.#left)
    }
  }

  async *#overOne(part: Part): AsyncGenerator<BellEvent, void, void> {
    const { platform, sound } = this.#connection
    const asked = this.#asked
    const { silenceMs } = sound
    const stop = part.abortAfter(platform, silenceMs, () => new Passing(new Error(`no answer within ${silenceMs} ms`)))
    const response = await this.#connection.open(asked, part)
    if (!/^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "")) {
      const text = await this.#connection.text(response, part)
      throw new UnexpectedAnswer(nameOf(asked), response.status, "no stream of events", text)
    }
    stop()
    this.#lostAt = undefined
    for await (const { events } of serverEvents(platform, response, part, silenceMs)) {
      this.#failures = 0
      for (const event of events) {
        const told = bellEventOf(event)
        // The parser returns only complete events, so this one was not cut off.
        if (told === undefined) throw new UnexpectedAnswer(nameOf(asked), 200, "no event of a bell", event.data)
        this.#lastId = told.id
        yield told
      }
      this.#lostAt = undefined
      this.#isHeard = true
    }
  }

  /** Waits before the next connection. Fails once nothing was received for too long. */
  async #pause(lost: Passing): Promise<void> {
    const { platform, sound } = this.#connection
    const now = platform.now()
    // The time counts from now, because the machine may have been suspended before.
    this.#lostAt ??= now
    this.#failures++
    const wait = waitMs(platform, this.#failures, lost.afterMs)
    if (now + wait > this.#lostAt + sound.reconnectMs) {
      throw lost.final(nameOf(this.#asked), this.#failures)
    }
    await sleep(platform, wait, this.#whole.signal)
  }
}
