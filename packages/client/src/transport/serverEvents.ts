import { createParser, type EventSourceMessage } from "eventsource-parser"
import type { Part, Platform } from "../platform.ts"
import { Passing, silent } from "./Passing.ts"

/** An event of more characters is none of the service: a stream of something else, which would fill the memory. */
const mostPending = 16_000_000

/** What one read of a connection brought: events, or nothing but the sign that the other end lives. */
export interface Heard {
  readonly events: ReadonlyArray<EventSourceMessage>
}

/**
 * The server-sent events of a response, as they come. It ends where the response does, and fails with `Passing` where
 * that breaks off, or is silent for longer than the service's heartbeats (15 s) allow. Silence is counted while a read
 * waits: a caller that takes its time is no silence of the service.
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
  // Whatever the platform does with an abort, a read that waits ends.
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
      // A character that is cut in two stays in the decoder, and an event in the parser, until the rest has come.
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
