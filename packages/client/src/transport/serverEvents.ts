import { createParser, type EventSourceMessage } from "eventsource-parser"
import type { AbortScope, Platform } from "../platform.ts"
import { RetryableFailure, silenceFailure } from "./retries.ts"

/**
 * The maximum number of characters in one server-sent event. The limit protects the client's memory from a server that
 * is not the Tapeline service.
 */
const maxBufferedCharacters = 16_000_000

/** The result of one read from an event stream: events, or an empty list for a heartbeat. */
export interface EventBatch {
  readonly events: ReadonlyArray<EventSourceMessage>
}

/**
 * Yields the server-sent events of a response as the events arrive. The time that the reader spends on processing
 * events does not count as silence.
 *
 * @throws `RetryableFailure` if the connection breaks, or is silent for `silenceMs` despite the heartbeat every 15 s.
 */
export async function* readServerEvents(
  platform: Platform,
  response: Response,
  abortScope: AbortScope,
  silenceMs: number
): AsyncGenerator<EventBatch, void, void> {
  const reader = response.body?.getReader()
  if (reader === undefined) throw new RetryableFailure(new Error("the platform's fetch returns no stream"))
  const decoder = new TextDecoder()
  let events: Array<EventSourceMessage> = []
  let hasHeartbeat = false
  let isTooLarge = false
  const parser = createParser({
    maxBufferSize: maxBufferedCharacters,
    onError: ({ type }) => {
      isTooLarge ||= type === "max-buffer-size-exceeded"
    },
    onEvent: (event) => void events.push(event),
    onComment: () => {
      hasHeartbeat = true
    }
  })
  // The abort cancels the reader, because some platforms ignore the abort signal while a read is waiting.
  const cancelReader = () => void reader.cancel().catch(() => undefined)
  abortScope.signal.addEventListener("abort", cancelReader, { once: true })
  try {
    for (;;) {
      const cancelTimeout = abortScope.abortAfter(platform, silenceMs, () => silenceFailure(silenceMs))
      const chunk = await reader.read().catch((cause: unknown) => new RetryableFailure(cause))
      cancelTimeout()
      if (abortScope.signal.aborted) throw abortScope.signal.reason
      if (chunk instanceof RetryableFailure) throw chunk
      if (chunk.done) return
      // Until more data arrives, the decoder keeps an incomplete character and the parser keeps an incomplete event.
      parser.feed(decoder.decode(chunk.value, { stream: true }))
      if (isTooLarge) {
        throw new RetryableFailure(new Error(`an event has more than ${maxBufferedCharacters} characters`))
      }
      if (events.length > 0 || hasHeartbeat) yield { events }
      events = []
      hasHeartbeat = false
    }
  } finally {
    abortScope.signal.removeEventListener("abort", cancelReader)
    cancelReader()
  }
}
