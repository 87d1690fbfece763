import { createParser, type EventSourceMessage } from "eventsource-parser"
import type { Part, Platform } from "../platform.ts"
import { Passing, silent } from "./Passing.ts"

/** The maximum characters of an event. A longer one is not the service's, and would fill the memory. */
const mostPending = 16_000_000

/** The result of one read: events, or only a sign that the connection is alive. */
export interface Heard {
  readonly events: ReadonlyArray<EventSourceMessage>
}

/**
 * Returns the server-sent events of a response as they arrive. Ends with the response. Throws `Passing` if the
 * connection breaks, or is silent for longer than `silenceMs`; the service sends a heartbeat every 15 s. Silence counts
 * only while a read waits, so a slow caller is not mistaken for a silent service.
 */
export async function* serverEvents(
  platform: Platform,
  response: Response,
  part: Part,
  silenceMs: number
): AsyncGenerator<Heard, void, void> {
  const reader = response.body?.getReader()
  if (reader === undefined) throw new Passing(new Error("the platform's fetch gives no stream"))
  const decoder = new TextDecoder()
  let events: Array<EventSourceMessage> = []
  let isAlive = false
  let isTooLarge = false
  const parser = createParser({
    maxBufferSize: mostPending,
    onError: ({ type }) => {
      isTooLarge ||= type === "max-buffer-size-exceeded"
    },
    onEvent: (event) => void events.push(event),
    onComment: () => {
      isAlive = true
    }
  })
  // A waiting read ends on an abort, however the platform handles it.
  const give = () => void reader.cancel().catch(() => undefined)
  part.signal.addEventListener("abort", give, { once: true })
  try {
    for (;;) {
      const stop = part.abortAfter(platform, silenceMs, () => silent(silenceMs))
      const read = await reader.read().catch((cause: unknown) => new Passing(cause))
      stop()
      if (part.signal.aborted) throw part.signal.reason
      if (read instanceof Passing) throw read
      if (read.done) return
      // The decoder keeps an incomplete character, and the parser an incomplete event, until the rest arrives.
      parser.feed(decoder.decode(read.value, { stream: true }))
      if (isTooLarge) throw new Passing(new Error(`an event has more than ${mostPending} characters`))
      if (events.length > 0 || isAlive) yield { events }
      events = []
      isAlive = false
    }
  } finally {
    part.signal.removeEventListener("abort", give)
    give()
  }
}
