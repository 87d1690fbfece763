import { AnswerLost, DeadlineExceeded, UnexpectedAnswer } from "../errors.ts"
import { AbortScope, sleep } from "../platform.ts"
import { type ChargedOptions, type TimeLimits, validateOptions } from "../settings.ts"
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

export interface AnswerRequest {
  /** The HTTP request with the question, or undefined if the answer is already running. */
  readonly httpRequest: ClientRequest | undefined
  /**
   * The text of the question, or undefined to read the conversation's last answer. The client uses the text to find a
   * stored answer whose message id is unknown.
   */
  readonly question: string | undefined
  readonly conversation: number | undefined
  readonly after: string | undefined
  readonly options: ChargedOptions
}

/** The timeout for sending a question and receiving response headers, in ms; long enough to upload images slowly. */
const questionTimeoutMs = 90_000

/** The maximum time in ms for reconnecting to an ended answer to read its suggestions. */
const suggestionsTimeoutMs = 10_000

/** How a connection ended without a failure: all events were read, no answer is running, or the events were deleted. */
type ConnectionEnd = "complete" | "not running" | "not stored"

/**
 * A stream that yields each event of an answer once and in order, across lost connections. An answer stream can be read
 * only once, and sends no request before reading begins. If the reader stops, the service still completes the answer
 * and stores the answer in the conversation.
 */
export class AnswerStream implements AsyncIterableIterator<AnswerEvent> {
  readonly #connection: Connection
  readonly #answerRequest: AnswerRequest
  readonly #progress: AnswerProgress
  readonly #limits: TimeLimits
  readonly #abortScope: AbortScope
  readonly #stopReason = new Error("left")
  readonly #events: AsyncGenerator<AnswerEvent, void, void>
  #text = ""
  /** The monotonic time in ms at which the stream lost its connection, or undefined while the stream is connected. */
  #disconnectedAtMs: number | undefined
  #failures = 0
  #isReplay = false
  #callId: string | undefined
  /** Whether the service may have received the question, although no event of the answer has arrived. */
  #mayBeReceived = false
  /**
   * The id of the message with the answer, null if no answer was stored, or undefined if the service reported no id.
   */
  #messageId: number | null | undefined

  constructor(connection: Connection, answerRequest: AnswerRequest) {
    this.#connection = connection
    this.#answerRequest = answerRequest
    this.#progress = new AnswerProgress(answerRequest.conversation, answerRequest.after)
    this.#limits = validateOptions(answerRequest.options)
    this.#abortScope = new AbortScope(answerRequest.options.signal)
    this.#events = this.#readEvents()
  }

  /**
   * The text that the stream has received so far. A stream that resumes after an event does not contain the earlier
   * text.
   */
  get text(): string {
    return this.#text
  }

  /** The id of the answer's conversation, or undefined until the service has sent the id. */
  get conversation_id(): number | undefined {
    return this.#progress.conversation
  }

  /**
   * The id of the answer, for questions to the operator. Undefined until the service has responded, or if an older
   * version of the service omits the id.
   */
  get call_id(): string | undefined {
    return this.#callId
  }

  /** The id of the last event that was read, with which another process can resume the answer. */
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

  /** Stops reading the answer's events and closes the connection; the service continues the answer. */
  async return(): Promise<IteratorResult<AnswerEvent, void>> {
    this.#abortScope.abort(this.#stopReason)
    await this.#events.return()
    this.#abortScope.dispose()
    return { done: true, value: undefined }
  }

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
    const requestName = requestNameOf(this.#nextRequest)
    const { timeoutMs } = this.#limits
    if (timeoutMs !== undefined) {
      this.#abortScope.abortAfter(platform, timeoutMs, () => new DeadlineExceeded(requestName, timeoutMs))
    }
    try {
      for (;;) {
        const end = yield* this.#readUntilDisconnected()
        if (end === "complete") return
        if (end === "not running" || end === "not stored") return yield* this.#readStoredAnswer(end)
        await this.#pause(requestName, end)
      }
    } catch (error) {
      const { aborted, reason } = this.#abortScope.signal
      // After the event with the outcome, only suggestions can be missing, and missing suggestions are not an error.
      if (!aborted && this.#progress.outcome === undefined) throw error
      if (aborted && reason !== this.#stopReason) throw reason
    } finally {
      this.#abortScope.dispose()
    }
  }

  /**
   * Yields the events of one connection. Returns how the connection ended, or a `RetryableFailure` if the client may
   * connect again.
   */
  async *#readUntilDisconnected(): AsyncGenerator<AnswerEvent, ConnectionEnd | RetryableFailure, void> {
    const attemptScope = new AbortScope(this.#abortScope.signal)
    try {
      return yield* this.#readOneConnection(attemptScope)
    } catch (error) {
      if (this.#abortScope.signal.aborted) throw error
      if (error instanceof RetryableFailure) return error
      // After an event of the answer has arrived, an unexpected response can only be a proxy's error page, so the
      // client retries.
      if (error instanceof UnexpectedAnswer && this.#progress.generation !== undefined) {
        return new RetryableFailure(error, { serviceError: error })
      }
      throw error
    } finally {
      attemptScope.dispose()
      attemptScope.abort(this.#stopReason)
    }
  }

  async *#readOneConnection(attemptScope: AbortScope): AsyncGenerator<AnswerEvent, ConnectionEnd, void> {
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
    this.#callId ??= response.headers.get("tapeline-call-id") ?? undefined
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
        if (accepted === otherGeneration) return "not running"
        if (accepted === undefined) continue
        this.#failures = 0
        yield accepted
        if (this.#progress.isClosed) return "complete"
      }
      this.#disconnectedAtMs = undefined
    }
    // An earlier request with this idempotency key began the answer, and the service no longer stores the answer's
    // events.
    if (this.#progress.generation === undefined && this.#isReplay) return "not stored"
    throw new RetryableFailure(new Error("the stream ended before the answer was complete"))
  }

  #handleNotRunning(body: object): ConnectionEnd {
    const { outcome } = this.#progress
    if (!("message_id" in body)) return "not running"
    if (outcome !== undefined) return "complete"
    this.#messageId = typeof body.message_id === "number" ? body.message_id : null
    return "not running"
  }

  /** Waits before the next attempt to connect; fails if the stream was disconnected for too long. */
  async #pause(requestName: string, failure: RetryableFailure): Promise<void> {
    const { platform, settings } = this.#connection
    const now = platform.monotonicMs()
    // The time of the disconnect is now, not the time of the last event, because the machine may have been suspended
    // meanwhile.
    this.#disconnectedAtMs ??= now
    this.#failures++
    const wait = retryDelayMs(platform, this.#failures, failure.requestedWaitMs)
    this.#mayBeReceived ||= failure.mayBeExecuted || this.#progress.generation !== undefined
    if (!this.#mayBeReceived && (failure.requestedWaitMs ?? 0) > this.#limits.maxWaitMs) {
      throw failure.toFinalError(requestName, this.#failures)
    }
    const hasOutcome = this.#progress.outcome !== undefined
    if (now + wait > this.#disconnectedAtMs + (hasOutcome ? suggestionsTimeoutMs : settings.reconnectMs)) {
      throw failure.toFinalError(requestName, this.#failures)
    }
    await sleep(platform, wait, this.#abortScope.signal)
  }

  async *#readStoredAnswer(end: "not running" | "not stored"): AsyncGenerator<AnswerEvent, void, void> {
    const { question, options } = this.#answerRequest
    const { outcome } = this.#progress
    // Reading the stored conversation has the same time limit as reconnecting to the stream.
    const timeoutMs = outcome === undefined ? this.#connection.settings.reconnectMs : suggestionsTimeoutMs
    const retryPolicy = { ...defaultRetryPolicy, timeoutMs, isUnlimited: true }
    const boundedOptions = { ...options, timeout_ms: timeoutMs, signal: this.#abortScope.signal }
    const conversation = end === "not stored"
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
    if (outcome === undefined || message.suggestions.length > 0) {
      yield { kind: "stored", data: { conversation_id: conversation, message } }
    }
  }

  /**
   * Sends the question again with the same idempotency key. Returns the id of the conversation that contains the
   * answer.
   */
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
