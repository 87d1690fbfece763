import { AnswerLost, DeadlineExceeded, UnexpectedAnswer } from "../errors.ts"
import { AbortScope, sleep } from "../platform.ts"
import { type ChargedOptions, checkMaxWait, checkTimeout } from "../settings.ts"
import {
  type ClientRequest,
  type Connection,
  defaultRetryPolicy,
  requestNameOf,
  type RetryPolicy
} from "../transport/Connection.ts"
import { RetryableFailure, retryDelayMs } from "../transport/retries.ts"
import { readServerEvents } from "../transport/serverEvents.ts"
import { type AnswerEvent, applyEvent } from "./AnswerEvent.ts"
import { AnswerProgress, otherGeneration } from "./AnswerProgress.ts"
import { findAnswer, findMessage } from "./conversation.ts"

/** The start of an answer's stream. */
export interface AnswerRequest {
  /**
   * The request with the question; undefined if the answer already runs. It is the same for each try, including its
   * idempotency key.
   */
  readonly httpRequest: ClientRequest | undefined
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
const questionTimeoutMs = 90_000

/** How long to look for suggestions if the connection is lost after the answer's end, in ms. */
const suggestionsTimeoutMs = 10_000

/** How a connection ended that did not break. */
type StreamEnd = "closed" | "over" | "empty"

/**
 * The events of an answer while it is written, each once and in order, across lost connections. Can be read once. Sends
 * nothing until it is read. A reader that stops does not stop the answer, which is completed and stored in its
 * conversation.
 */
export class AnswerStream implements AsyncIterableIterator<AnswerEvent> {
  readonly #connection: Connection
  readonly #answerRequest: AnswerRequest
  readonly #progress: AnswerProgress
  readonly #maxWaitMs: number
  readonly #abortScope: AbortScope
  readonly #stopReason = new Error("left")
  readonly #events: AsyncGenerator<AnswerEvent, void, void>
  #text = ""
  /** When the connection was lost, and how many connections have failed since the last event. */
  #disconnectedAtMs: number | undefined
  #failures = 0
  #isReplay = false
  /** Whether the service may have received the question, although no event of its answer has arrived. */
  #mayBeReceived = false
  /** The id of the message with the answer, if the service returned it. Null if nothing was stored. */
  #messageId: number | null | undefined

  constructor(connection: Connection, answerRequest: AnswerRequest) {
    this.#connection = connection
    this.#answerRequest = answerRequest
    this.#progress = new AnswerProgress(answerRequest.conversation, answerRequest.after)
    this.#maxWaitMs = checkMaxWait(answerRequest.options.max_wait_ms)
    this.#abortScope = new AbortScope(answerRequest.options.signal)
    this.#events = this.#readEvents()
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
    return this.#progress.lastEventId
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<AnswerEvent, void>> {
    const next = await this.#events.next()
    if (next.done !== true) this.#text = applyEvent(this.#text, next.value)
    return next
  }

  /** Stops reading and closes the connection. */
  async return(): Promise<IteratorResult<AnswerEvent, void>> {
    this.#abortScope.abort(this.#stopReason)
    await this.#events.return()
    this.#abortScope.dispose()
    return { done: true, value: undefined }
  }

  /** The next request: the question until its answer has begun, then a request to resume. */
  get #nextRequest(): ClientRequest {
    const { httpRequest, options } = this.#answerRequest
    const { conversation, generation, lastEventId } = this.#progress
    if (httpRequest !== undefined && (generation === undefined || conversation === undefined)) return httpRequest
    return {
      method: "GET",
      path: `/v1/agent/resume/${conversation}`,
      headers: { accept: "text/event-stream, application/json", "last-event-id": lastEventId },
      options
    }
  }

  async *#readEvents(): AsyncGenerator<AnswerEvent, void, void> {
    const { platform } = this.#connection
    const { options } = this.#answerRequest
    const requestName = requestNameOf(this.#nextRequest)
    const timeoutMs = checkTimeout(options.timeout_ms)
    if (timeoutMs !== undefined) {
      this.#abortScope.abortAfter(platform, timeoutMs, () => new DeadlineExceeded(requestName, timeoutMs))
    }
    try {
      for (;;) {
        const end = yield* this.#readUntilDisconnected()
        if (end === "closed") return
        if (end === "over" || end === "empty") return yield* this.#readStoredAnswer(end)
        await this.#pause(requestName, end)
      }
    } catch (error) {
      const { aborted, reason } = this.#abortScope.signal
      // Once the outcome is known, only suggestions can be missing, which is no reason to fail.
      if (!aborted && this.#progress.outcome === undefined) throw error
      if (aborted && reason !== this.#stopReason) throw reason
    } finally {
      this.#abortScope.dispose()
    }
  }

  /** Reads from one connection and returns how it ended. If another try may succeed, returns the failure instead. */
  async *#readUntilDisconnected(): AsyncGenerator<AnswerEvent, StreamEnd | RetryableFailure, void> {
    const attemptScope = new AbortScope(this.#abortScope.signal)
    try {
      return yield* this.#readOneConnection(attemptScope)
    } catch (error) {
      if (this.#abortScope.signal.aborted) throw error
      if (error instanceof RetryableFailure) return error
      // The error page of a proxy. The service has already sent events, so a later try may reach it.
      if (error instanceof UnexpectedAnswer && this.#progress.generation !== undefined) {
        return new RetryableFailure(error, { serviceError: error })
      }
      throw error
    } finally {
      attemptScope.dispose()
      attemptScope.abort(this.#stopReason)
    }
  }

  async *#readOneConnection(attemptScope: AbortScope): AsyncGenerator<AnswerEvent, StreamEnd, void> {
    const { platform, settings } = this.#connection
    const request = this.#nextRequest
    const openTimeoutMs = request.method === "POST" ? questionTimeoutMs : settings.silenceMs
    const cancelTimeout = attemptScope.abortAfter(
      platform,
      openTimeoutMs,
      () => new RetryableFailure(new Error(`no response within ${openTimeoutMs} ms`))
    )
    const response = await this.#connection.open(request, attemptScope)
    this.#isReplay = response.headers.get("idempotent-replayed") === "true"
    if (!/^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "")) {
      const body = await this.#connection.body(request, response, attemptScope)
      if (typeof body === "object" && body !== null && "running" in body && body.running === false) {
        return this.#handleNotRunning(body)
      }
      throw new UnexpectedAnswer(requestNameOf(request), response.status, "not an event stream", JSON.stringify(body))
    }
    cancelTimeout()
    for await (const { events } of readServerEvents(platform, response, attemptScope, settings.silenceMs)) {
      for (const event of events) {
        const accepted = this.#progress.accept(event)
        if (accepted === otherGeneration) return "over"
        if (accepted === undefined) continue
        this.#failures = 0
        yield accepted
        if (this.#progress.isClosed) return "closed"
      }
      this.#disconnectedAtMs = undefined
    }
    // An earlier request with this key began the answer, and its events are no longer stored.
    if (this.#progress.generation === undefined && this.#isReplay) return "empty"
    throw new RetryableFailure(new Error("the stream ended before the answer was complete"))
  }

  /** Handles an answer whose events are no longer sent. If its outcome was read, nothing is missing. */
  #handleNotRunning(body: object): StreamEnd {
    const { outcome } = this.#progress
    if (!("message_id" in body)) return "over"
    if (outcome !== undefined) return "closed"
    this.#messageId = typeof body.message_id === "number" ? body.message_id : null
    return "over"
  }

  /** Waits before the next connection. Fails once nothing was received for too long. */
  async #pause(requestName: string, failure: RetryableFailure): Promise<void> {
    const { platform, settings } = this.#connection
    const now = platform.monotonicMs()
    // The time counts from now, because the machine may have been suspended before.
    this.#disconnectedAtMs ??= now
    this.#failures++
    const wait = retryDelayMs(platform, this.#failures, failure.requestedWaitMs)
    this.#mayBeReceived ||= failure.mayBeExecuted || this.#progress.generation !== undefined
    if (!this.#mayBeReceived && (failure.requestedWaitMs ?? 0) > this.#maxWaitMs) {
      throw failure.toFinalError(requestName, this.#failures)
    }
    const hasOutcome = this.#progress.outcome !== undefined
    if (now + wait > this.#disconnectedAtMs + (hasOutcome ? suggestionsTimeoutMs : settings.reconnectMs)) {
      throw failure.toFinalError(requestName, this.#failures)
    }
    await sleep(platform, wait, this.#abortScope.signal)
  }

  /** Returns the answer from its conversation, after its events have ended. */
  async *#readStoredAnswer(end: "over" | "empty"): AsyncGenerator<AnswerEvent, void, void> {
    const { question, options } = this.#answerRequest
    const { outcome } = this.#progress
    // Each read has as much time as the stream itself.
    const timeoutMs = outcome === undefined ? this.#connection.settings.reconnectMs : suggestionsTimeoutMs
    const retryPolicy = { ...defaultRetryPolicy, timeoutMs, isUnlimited: true }
    const boundedOptions = { ...options, timeout_ms: timeoutMs, signal: this.#abortScope.signal }
    const conversation = end === "empty"
      ? await this.#findConversation(boundedOptions, retryPolicy)
      : this.#progress.conversation
    if (conversation === undefined) return
    this.#progress.conversation = conversation
    const message = this.#messageId === undefined
      ? await findAnswer(this.#connection, conversation, question, boundedOptions, retryPolicy)
      : await findMessage(this.#connection, conversation, this.#messageId, boundedOptions, retryPolicy)
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
  async #findConversation(options: ChargedOptions, retryPolicy: RetryPolicy): Promise<number | undefined> {
    const { httpRequest } = this.#answerRequest
    if (httpRequest === undefined) return undefined
    const { conversation_id } = await this.#connection.json<{ readonly conversation_id: number }>({
      ...httpRequest,
      path: "/v1/agent/messages",
      headers: { ...httpRequest.headers, accept: undefined },
      options
    }, retryPolicy)
    return conversation_id
  }
}
