import { AnswerLost, DeadlineExceeded, UnexpectedAnswer } from "../errors.ts"
import { Part, sleep } from "../platform.ts"
import { type ChargedOptions, soundTimeout, soundWait } from "../settings.ts"
import { type Asked, callPatience, type Connection, nameOf, type Patience } from "../transport/Connection.ts"
import { Passing, waitMs } from "../transport/Passing.ts"
import { serverEvents } from "../transport/serverEvents.ts"
import { type AnswerEvent, textAfter } from "./AnswerEvent.ts"
import { storedAnswer, storedMessage } from "./conversation.ts"
import { foreign, Progress } from "./Progress.ts"

/** The start of an answer's stream. */
export interface Opening {
  /**
   * The request with the question; undefined if the answer already runs. It is the same for each try, including its
   * idempotency key.
   */
  readonly asked: Asked | undefined
  /**
   * The text of the question. It finds the answer in the conversation if the service does not return its id. If
   * undefined, the last answer of the conversation is used.
   */
  readonly question: string | undefined
  readonly conversation: number | undefined
  /** The id of the last known event. */
  readonly after: string | undefined
  readonly options: ChargedOptions
}

/** The timeout for sending and starting a question, in ms. Images take long on a slow connection. */
const askingMs = 90_000

/** How long to look for suggestions if the connection is lost after the answer's end, in ms. */
const followingMs = 10_000

/** How a connection ended that did not break. */
type Ended = "closed" | "over" | "empty"

/**
 * The events of an answer while it is written, each once and in order, across lost connections. Can be read once. Sends
 * nothing until it is read. A reader that stops does not stop the answer, which is completed and stored in its
 * conversation.
 */
export class AnswerStream implements AsyncIterableIterator<AnswerEvent> {
  readonly #connection: Connection
  readonly #opening: Opening
  readonly #progress: Progress
  readonly #longestWaitMs: number
  readonly #whole: Part
  readonly #left = new Error("left")
  readonly #events: AsyncGenerator<AnswerEvent, void, void>
  #text = ""
  /** When the connection was lost, and how many connections have failed since the last event. */
  #lostAt: number | undefined
  #failures = 0
  #isReplay = false
  /** Whether the service may have received the question, although no event of its answer has arrived. */
  #isAskedMaybe = false
  /** The id of the message with the answer, if the service returned it. Null if nothing was stored. */
  #message: number | null | undefined

  constructor(connection: Connection, opening: Opening) {
    this.#connection = connection
    this.#opening = opening
    this.#progress = new Progress(opening.conversation, opening.after)
    this.#longestWaitMs = soundWait(opening.options.longest_wait_ms)
    this.#whole = new Part(opening.options.signal)
    this.#events = this.#follow()
  }

  /** The text of the answer so far. If the stream began after an event, only the text after that event. */
  get text(): string {
    return this.#text
  }

  /** The conversation of the answer, once known. */
  get conversation_id(): number | undefined {
    return this.#progress.conversation
  }

  /** The id of the last event that was read. With it and the conversation, another process can `resume`. */
  get last_event_id(): string | undefined {
    return this.#progress.lastId
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<AnswerEvent, void>> {
    const next = await this.#events.next()
    if (next.done !== true) this.#text = textAfter(this.#text, next.value)
    return next
  }

  /** Stops reading and closes the connection. */
  async return(): Promise<IteratorResult<AnswerEvent, void>> {
    this.#whole.abort(this.#left)
    await this.#events.return()
    this.#whole.leave()
    return { done: true, value: undefined }
  }

  /** The next request: the question until its answer has begun, then a request to resume. */
  get #asked(): Asked {
    const { asked, options } = this.#opening
    const { conversation, generation, lastId } = this.#progress
    if (asked !== undefined && (generation === undefined || conversation === undefined)) return asked
    return {
      method: "GET",
      path: `/v1/agent/resume/${conversation}`,
      headers: { accept: "text/event-stream, application/json", "last-event-id": lastId },
      options
    }
  }

  async *#follow(): AsyncGenerator<AnswerEvent, void, void> {
    const { platform } = this.#connection
    const { options } = this.#opening
    const what = nameOf(this.#asked)
    const timeoutMs = soundTimeout(options.timeout_ms)
    if (timeoutMs !== undefined) {
      this.#whole.abortAfter(platform, timeoutMs, () => new DeadlineExceeded(what, timeoutMs))
    }
    try {
      for (;;) {
        const ended = yield* this.#untilLost()
        if (ended === "closed") return
        if (ended === "over" || ended === "empty") return yield* this.#stored(ended)
        await this.#pause(what, ended)
      }
    } catch (error) {
      const { aborted, reason } = this.#whole.signal
      // Once the outcome is known, only suggestions can be missing, which is no reason to fail.
      if (!aborted && this.#progress.outcome === undefined) throw error
      if (aborted && reason !== this.#left) throw reason
    } finally {
      this.#whole.leave()
    }
  }

  /** Reads from one connection and returns how it ended. If another try may succeed, returns the failure instead. */
  async *#untilLost(): AsyncGenerator<AnswerEvent, Ended | Passing, void> {
    const part = new Part(this.#whole.signal)
    try {
      return yield* this.#overOne(part)
    } catch (error) {
      if (this.#whole.signal.aborted) throw error
      if (error instanceof Passing) return error
      // The error page of a proxy. The service has already sent events, so a later try may reach it.
      if (error instanceof UnexpectedAnswer && this.#progress.generation !== undefined) {
        return new Passing(error, { refused: error })
      }
      throw error
    } finally {
      part.leave()
      part.abort(this.#left)
    }
  }

  async *#overOne(part: Part): AsyncGenerator<AnswerEvent, Ended, void> {
    const { platform, sound } = this.#connection
    const asked = this.#asked
    const openMs = asked.method === "POST" ? askingMs : sound.silenceMs
    const stop = part.abortAfter(platform, openMs, () => new Passing(new Error(`no answer within ${openMs} ms`)))
    const response = await this.#connection.open(asked, part)
    this.#isReplay = response.headers.get("idempotent-replayed") === "true"
    if (!/^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "")) {
      const body = await this.#connection.body(asked, response, part)
      if (typeof body === "object" && body !== null && "running" in body && body.running === false) {
        return this.#over(body)
      }
      throw new UnexpectedAnswer(nameOf(asked), response.status, "no stream of events", JSON.stringify(body))
    }
    stop()
    for await (const { events } of serverEvents(platform, response, part, sound.silenceMs)) {
      for (const event of events) {
        const taken = this.#progress.take(event)
        if (taken === foreign) return "over"
        if (taken === undefined) continue
        this.#failures = 0
        yield taken
        if (this.#progress.isClosed) return "closed"
      }
      this.#lostAt = undefined
    }
    // An earlier request with this key began the answer, and its events are no longer stored.
    if (this.#progress.generation === undefined && this.#isReplay) return "empty"
    throw new Passing(new Error("the stream ended before the answer did"))
  }

  /** Handles an answer whose events are no longer sent. If its outcome was read, nothing is missing. */
  #over(body: object): Ended {
    const { outcome } = this.#progress
    if (!("message_id" in body)) return "over"
    if (outcome !== undefined) return "closed"
    this.#message = typeof body.message_id === "number" ? body.message_id : null
    return "over"
  }

  /** Waits before the next connection. Fails once nothing was received for too long. */
  async #pause(what: string, lost: Passing): Promise<void> {
    const { platform, sound } = this.#connection
    const now = platform.now()
    // The time counts from now, because the machine may have been suspended before.
    this.#lostAt ??= now
    this.#failures++
    const wait = waitMs(platform, this.#failures, lost.afterMs)
    this.#isAskedMaybe ||= lost.isDoneMaybe || this.#progress.generation !== undefined
    if (!this.#isAskedMaybe && (lost.afterMs ?? 0) > this.#longestWaitMs) throw lost.final(what, this.#failures)
    const isWhole = this.#progress.outcome !== undefined
    if (now + wait > this.#lostAt + (isWhole ? followingMs : sound.reconnectMs)) throw lost.final(what, this.#failures)
    await sleep(platform, wait, this.#whole.signal)
  }

  /** Returns the answer from its conversation, after its events have ended. */
  async *#stored(ended: "over" | "empty"): AsyncGenerator<AnswerEvent, void, void> {
    const { question, options } = this.#opening
    const { outcome } = this.#progress
    // Each read has as much time as the stream itself.
    const timeoutMs = outcome === undefined ? this.#connection.sound.reconnectMs : followingMs
    const patience = { ...callPatience, timeoutMs, isLasting: true }
    const bounded = { ...options, timeout_ms: timeoutMs, signal: this.#whole.signal }
    const conversation = ended === "empty" ? await this.#answeredIn(bounded, patience) : this.#progress.conversation
    if (conversation === undefined) return
    this.#progress.conversation = conversation
    const message = this.#message === undefined
      ? await storedAnswer(this.#connection, conversation, question, bounded, patience)
      : await storedMessage(this.#connection, conversation, this.#message, bounded, patience)
    if (message === null) {
      if (outcome === undefined) throw new AnswerLost(conversation)
      return
    }
    // If the outcome was read, only suggestions can be missing.
    if (outcome === undefined || message.suggestions.length > 0) {
      yield { kind: "stored", data: { conversation_id: conversation, message } }
    }
  }

  /** Returns the conversation of an ended answer that this key began. */
  async #answeredIn(options: ChargedOptions, patience: Patience): Promise<number | undefined> {
    const { asked } = this.#opening
    if (asked === undefined) return undefined
    const { conversation_id } = await this.#connection.json<{ readonly conversation_id: number }>({
      ...asked,
      path: "/v1/agent/messages",
      headers: { ...asked.headers, accept: undefined },
      options
    }, patience)
    return conversation_id
  }
}
