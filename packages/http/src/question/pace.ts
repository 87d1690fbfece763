import { RequestTimeout } from "@tapeline/api"
import { Effect } from "effect"

/** How often it is looked at, and how much has to have come since: 16 KiB a second, which a line of 128 kbit/s has. */
const everyMs = 10_000
const leastBytes = 160 * 1024

/**
 * Fails once a large body comes too slowly on its connection: it holds a place for which others wait, and would for as
 * long as a request may take.
 */
export const keepingPace = Effect.fnUntraced(function*(
  connection: { readonly bytesRead: number }
): Effect.fn.Return<never, RequestTimeout> {
  for (let before = connection.bytesRead;;) {
    yield* Effect.sleep(everyMs)
    const now = connection.bytesRead
    if (now - before < leastBytes) return yield* new RequestTimeout()
    before = now
  }
})
