import type { NotificationBody, UnreadBody } from "@tapeline/api"
import type { EventSourceMessage } from "eventsource-parser"
import { DeadlineExceeded, UnexpectedAnswer } from "../errors.ts"
import { AbortScope, sleep } from "../platform.ts"
import { type CallOptions, validateOptions } from "../settings.ts"
import { type ClientRequest, type Connection, requestNameOf } from "../transport/Connection.ts"
import { RetryableFailure, retryDelayMs } from "../transport/retries.ts"
import { readServerEvents } from "../transport/serverEvents.ts"

/** A notification in the form that the tool `get_notifications` returns. */
export type Notification = typeof NotificationBody.Type

/** An event of the notification stream: the number of unread notifications as the first event, or a notification. */
export type NotificationEvent =
  | {
    readonly kind: "unread"
    readonly data: typeof UnreadBody.Type
    /** The id of the newest notification, or 0 if the account has no notifications. */
    readonly id: number
  }
  | { readonly kind: "notification"; readonly data: Notification; readonly id: number }

/** Parses a server-sent event, or returns undefined if the event does not belong to a notification stream. */
export const parseNotificationEvent = ({ data, event, id }: EventSourceMessage): NotificationEvent | undefined => {
  if (!/^\d{1,15}$/.test(id ?? "")) return undefined
  try {
    // The cast is safe because the API defines the data of each kind of notification event.
    return { kind: event ?? "message", data: JSON.parse(data), id: Number(id) } as NotificationEvent
  } catch {
    return undefined
  }
}

/** The options of the notification stream. */
export interface NotificationOptions extends CallOptions {
  /** The id of the last notification event that the caller has read, after which the stream begins. */
  readonly after?: number | undefined
}

const checkAfter = (after: number | undefined): number | undefined => {
  if (after === undefined || (Number.isSafeInteger(after) && after >= 0)) return after
  throw new TypeError("Tapeline client: after must be the id of an event, such as 42")
}

/** An endless, single-use stream that yields each notification of the account once, across lost connections. */
export class NotificationStream implements AsyncIterableIterator<NotificationEvent> {
  readonly #connection: Connection
  readonly #options: NotificationOptions
  readonly #timeoutMs: number | undefined
  readonly #abortScope: AbortScope
  readonly #stopReason = new Error("left")
  readonly #events: AsyncGenerator<NotificationEvent, void, void>
  #lastId: number | undefined
  /** The monotonic time in ms at which the stream lost its connection, or undefined while the stream is connected. */
  #disconnectedAtMs: number | undefined
  #failures = 0
  #hasReceived = false

  constructor(connection: Connection, options: NotificationOptions) {
    this.#connection = connection
    this.#options = options
    this.#timeoutMs = validateOptions(options).timeoutMs
    this.#lastId = checkAfter(options.after)
    this.#abortScope = new AbortScope(options.signal)
    this.#events = this.#readEvents()
  }

  /** The id of the last event that was read, after which another process or a reloaded page can continue. */
  get last_event_id(): number | undefined {
    return this.#lastId
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<NotificationEvent, void>> {
    return this.#events.next()
  }

  /** Stops reading notifications and closes the connection. */
  async return(): Promise<IteratorResult<NotificationEvent, void>> {
    this.#abortScope.abort(this.#stopReason)
    await this.#events.return()
    this.#abortScope.dispose()
    return { done: true, value: undefined }
  }

  get #nextRequest(): ClientRequest {
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

  async *#readEvents(): AsyncGenerator<NotificationEvent, void, void> {
    const { platform } = this.#connection
    const timeoutMs = this.#timeoutMs
    if (timeoutMs !== undefined) {
      this.#abortScope.abortAfter(
        platform,
        timeoutMs,
        () => new DeadlineExceeded(requestNameOf(this.#nextRequest), timeoutMs)
      )
    }
    try {
      for (;;) await this.#pause(yield* this.#readUntilDisconnected())
    } catch (error) {
      const { aborted, reason } = this.#abortScope.signal
      if (!aborted) throw error
      if (reason !== this.#stopReason) throw reason
    } finally {
      this.#abortScope.dispose()
    }
  }

  /** Yields the notifications of one connection. Returns a `RetryableFailure` when the client may connect again. */
  async *#readUntilDisconnected(): AsyncGenerator<NotificationEvent, RetryableFailure, void> {
    const attemptScope = new AbortScope(this.#abortScope.signal)
    try {
      yield* this.#readOneConnection(attemptScope)
      return new RetryableFailure(new Error("the stream ended"))
    } catch (error) {
      if (this.#abortScope.signal.aborted) throw error
      if (error instanceof RetryableFailure) return error
      // After data has arrived, an unexpected response can only be a proxy's error page, so the client retries.
      if (error instanceof UnexpectedAnswer && this.#hasReceived) {
        return new RetryableFailure(error, { serviceError: error })
      }
      throw error
    } finally {
      attemptScope.dispose()
      attemptScope.abort(this.#stopReason)
    }
  }

  async *#readOneConnection(attemptScope: AbortScope): AsyncGenerator<NotificationEvent, void, void> {
    const { platform, settings } = this.#connection
    const request = this.#nextRequest
    const { silenceMs } = settings
    const cancelTimeout = attemptScope.abortAfter(
      platform,
      silenceMs,
      () => new RetryableFailure(new Error(`no response within ${silenceMs} ms`))
    )
    const response = await this.#connection.open(request, attemptScope)
    if (!/^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "")) {
      const text = await this.#connection.text(response, attemptScope)
      throw new UnexpectedAnswer(requestNameOf(request), response.status, "not an event stream", text)
    }
    cancelTimeout()
    this.#disconnectedAtMs = undefined
    for await (const { events } of readServerEvents(platform, response, attemptScope, silenceMs)) {
      this.#failures = 0
      for (const event of events) {
        const notificationEvent = parseNotificationEvent(event)
        // An invalid event is a permanent error and not a truncated event, because the parser returns only complete
        // events.
        if (notificationEvent === undefined) {
          throw new UnexpectedAnswer(requestNameOf(request), 200, "the event is not a notification", event.data)
        }
        this.#lastId = notificationEvent.id
        yield notificationEvent
      }
      this.#disconnectedAtMs = undefined
      this.#hasReceived = true
    }
  }

  /** Waits before the next attempt to connect; fails if the stream was disconnected for too long. */
  async #pause(failure: RetryableFailure): Promise<void> {
    const { platform, settings } = this.#connection
    const now = platform.monotonicMs()
    // The time of the disconnect is now, not the time of the last event, because the machine may have been suspended
    // meanwhile.
    this.#disconnectedAtMs ??= now
    this.#failures++
    const wait = retryDelayMs(platform, this.#failures, failure.requestedWaitMs)
    if (now + wait > this.#disconnectedAtMs + settings.reconnectMs) {
      throw failure.toFinalError(requestNameOf(this.#nextRequest), this.#failures)
    }
    await sleep(platform, wait, this.#abortScope.signal)
  }
}
