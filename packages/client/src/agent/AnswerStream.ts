import { AnswerLost, DeadlineExceeded, UnexpectedAnswer } from "../errors.ts"
import { Part, sleep } from "../platform.ts"
import { type ChargedOptions, soundTimeout, soundWait } from "../settings.ts"
import { type Asked, callPatience, type Connection, nameOf, type Patience } from "../transport/Connection.ts"
import { Passing, waitMs } from "../transport/Passing.ts"
import { serverEvents } from "../transport/serverEvents.ts"
import { type AnswerEvent, textAfter } from "./AnswerEvent.ts"
import { storedAnswer, storedMessage } from "./conversation.ts"
import { foreign, Progress } from "./Progress.ts"

/** How an answer's stream is begun. */
export interface Opening {
  /** Asks the question; undefined where the answer runs already. The same at each try, its idempotency key too. */
  readonly asked: Asked | undefined
  /**
   * The question's words, by which its answer is found in the conversation where the service does not tell which it is;
   * undefined: the last answer there.
   */
  readonly question: string | undefined
  readonly conversation: number | undefined
  /** The id of the last event that is known already. */
  readonly after: string | undefined
  readonly options: ChargedOptions
}

/** A question is sent, judged and begun within this; images take their time on a slow line. */
const askingMs = 90_000

/** What may follow the last word of an answer is looked for so long, where the connection is lost just then. */
const followingMs = 10_000

/** How one connection ended that did not break off. */
type Ended = "closed" | "over" | "empty"

/**
 * An answer as it is written: its events, each once and in order, whatever becomes of the connections that they come
 * over. It is read once. Nothing is sent before it is read, and whoever stops reading stops nothing but the reading:
 * the answer is written on, and kept in its conversation.
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
  /** When it was lost after anything came last, and how many connections have brought nothing since an event did. */
  #lostAt: number | undefined
  #failures = 0
  #isReplay = false
  /** The question may have come through, though nothing of its answer was seen. */
  #isAskedMaybe = false
  /** The message that has the answer, where the service told it; null: nothing was kept. */
  #message: number | null | undefined

  constructor(connection: Connection, opening: Opening) {
    this.#connection = connection
    this.#opening = opening
    this.#progress = new Progress(opening.conversation, opening.after)
    this.#longestWaitMs = soundWait(opening.options.longest_wait_ms)
    this.#whole = new Part(opening.options.signal)
    this.#events = this.#follow()
  }

  /** The answer's text as far as it was read. Of a stream that began after an event, what came after that alone. */
  get text(): string {
    return this.#text
  }

  /** The conversation that keeps the answer, once it is known. */
  get conversation_id(): number | undefined {
    return this.#progress.conversation
  }

  /** The id of the last event that was read: with it, and the conversation, another process can `resume`. */
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

  /** Leaves: what waits for the connection ends. */
  async return(): Promise<IteratorResult<AnswerEvent, void>> {
    this.#whole.abort(this.#left)
    await this.#events.return()
    this.#whole.leave()
    return { done: true, value: undefined }
  }

  /** The request that goes on from what is known: the question, until its answer has shown itself. */
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
      // All that may be missing of an answer that is whole is what could be asked next; nobody fails for that.
      if (!aborted && this.#progress.outcome === undefined) throw error
      if (aborted && reason !== this.#left) throw reason
    } finally {
      this.#whole.leave()
    }
  }

  /** Reads over one connection, and gives how it ended; what broke it off, where another may fare better. */
  async *#untilLost(): AsyncGenerator<AnswerEvent, Ended | Passing, void> {
    const part = new Part(this.#whole.signal)
    try {
      return yield* this.#overOne(part)
    } catch (error) {
      if (this.#whole.signal.aborted) throw error
      if (error instanceof Passing) return error
      // A page of some proxy on the way: the service had the answer, and may be met again.
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
    // Begun long ago under this key: its events are not kept any more.
    if (this.#progress.generation === undefined && this.#isReplay) return "empty"
    throw new Passing(new Error("the stream ended before the answer did"))
  }

  /** What is left of an answer whose events are not sent any more: nothing of one whose last word was read. */
  #over(body: object): Ended {
    const { outcome } = this.#progress
    if (!("message_id" in body)) return "over"
    if (outcome !== undefined) return "closed"
    this.#message = typeof body.message_id === "number" ? body.message_id : null
    return "over"
  }

  /** Waits before the next connection; gives up once nothing was heard for too long. */
  async #pause(what: string, lost: Passing): Promise<void> {
    const { platform, sound } = this.#connection
    const now = platform.now()
    // From then on: the machine may have slept for hours before.
    this.#lostAt ??= now
    this.#failures++
    const wait = waitMs(platform, this.#failures, lost.afterMs)
    this.#isAskedMaybe ||= lost.isDoneMaybe || this.#progress.generation !== undefined
    if (!this.#isAskedMaybe && (lost.afterMs ?? 0) > this.#longestWaitMs) throw lost.final(what, this.#failures)
    const isWhole = this.#progress.outcome !== undefined
    if (now + wait > this.#lostAt + (isWhole ? followingMs : sound.reconnectMs)) throw lost.final(what, this.#failures)
    await sleep(platform, wait, this.#whole.signal)
  }

  /** The answer as its conversation keeps it, when its events are over. */
  async *#stored(ended: "over" | "empty"): AsyncGenerator<AnswerEvent, void, void> {
    const { question, options } = this.#opening
    const { outcome } = this.#progress
    // Each read is looked for as long as the stream itself is.
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
    // Of an answer that is whole, all that may be missing is what could be asked next.
    if (outcome === undefined || message.suggestions.length > 0) {
      yield { kind: "stored", data: { conversation_id: conversation, message } }
    }
  }

  /** Where the answer is kept that was begun under this key, and is over. */
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
