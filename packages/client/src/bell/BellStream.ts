import { DeadlineExceeded, UnexpectedAnswer } from "../errors.ts"
import { Part, sleep } from "../platform.ts"
import { type CallOptions, soundTimeout } from "../settings.ts"
import { type Asked, type Connection, nameOf } from "../transport/Connection.ts"
import { Passing, waitMs } from "../transport/Passing.ts"
import { serverEvents } from "../transport/serverEvents.ts"
import { type BellEvent, bellEventOf } from "./BellEvent.ts"

/** How a bell is followed. */
export interface BellOptions extends CallOptions {
  /** The id of the last event that is known: all that rang after it and is kept is given. */
  readonly after?: number | undefined
}

const idOf = (after: number | undefined): number | undefined => {
  if (after === undefined || (Number.isSafeInteger(after) && after >= 0)) return after
  throw new TypeError("Tapeline client: after must be the id of an event, such as 42")
}

/**
 * The account's bell: what rings, each once and in order, whatever becomes of the connections that it comes over. It
 * has no end of its own: whoever stops reading leaves. It is read once, and nothing is sent before it is.
 */
export class BellStream implements AsyncIterableIterator<BellEvent> {
  readonly #connection: Connection
  readonly #options: BellOptions
  readonly #whole: Part
  readonly #left = new Error("left")
  readonly #events: AsyncGenerator<BellEvent, void, void>
  #lastId: number | undefined
  /** When it was lost after anything came last, and how many connections have brought nothing since. */
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

  /** The id of the last event that was read: with it another process, or the page after a reload, goes on. */
  get last_event_id(): number | undefined {
    return this.#lastId
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<BellEvent, void>> {
    return this.#events.next()
  }

  /** Leaves: what waits for the connection ends. */
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

  /** Reads over one connection, and gives what broke it off, where another may fare better. */
  async *#untilLost(): AsyncGenerator<BellEvent, Passing, void> {
    const part = new Part(this.#whole.signal)
    try {
      yield* this.#overOne(part)
      return new Passing(new Error("the stream ended"))
    } catch (error) {
      if (this.#whole.signal.aborted) throw error
      if (error instanceof Passing) return error
      // A page of some proxy on the way: the bell was heard, and may be heard again.
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
        // The parser hands on what came whole: nothing was cut off here.
        if (told === undefined) throw new UnexpectedAnswer(nameOf(asked), 200, "no event of a bell", event.data)
        this.#lastId = told.id
        yield told
      }
      this.#lostAt = undefined
      this.#isHeard = true
    }
  }

  /** Waits before the next connection; gives up once nothing was heard for too long. */
  async #pause(lost: Passing): Promise<void> {
    const { platform, sound } = this.#connection
    const now = platform.now()
    // From then on: the machine may have slept for hours before.
    this.#lostAt ??= now
    this.#failures++
    const wait = waitMs(platform, this.#failures, lost.afterMs)
    if (now + wait > this.#lostAt + sound.reconnectMs) {
      throw lost.final(nameOf(this.#asked), this.#failures)
    }
    await sleep(platform, wait, this.#whole.signal)
  }
}
