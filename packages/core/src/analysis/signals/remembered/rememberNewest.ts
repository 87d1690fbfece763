import { Clock, Effect } from "effect"
import type { SourceUnavailable } from "../../../market/errors.ts"
import type { Reading } from "../../../market/reading.ts"
import { changesTooFast, mayTry } from "./changesTooFast.ts"
import { makeFlights } from "./flights.ts"
import { type Seen, stillPasses } from "./PassingRows.ts"
import type { SeriesRecord } from "./records.ts"

interface Newest<A> extends Seen {
  readonly hour: number
  readonly found: Reading<A>
}

/**
 * Remembers the newest reading of each listed coin. If its hour is below the watermark, the reading is valid while the
 * revision is the same. Otherwise it is valid for a moment.
 *
 * @returns a function that returns the reading of a coin at an hour. Concurrent callers share one computation.
 */
export const rememberNewest = <A, E>() => {
  const seen = new Map<string, Newest<A>>()
  const flights = makeFlights<Reading<A> | SeriesRecord, E>()

  const recall = (coin: string, hour: number, at: SeriesRecord, now: number): Reading<A> | undefined => {
    const known = seen.get(coin)
    if (known?.hour !== hour || known.record.revision !== at.revision) return undefined
    const settled = hour <= known.record.until
    return settled || (hour > at.until && stillPasses(known, at, now)) ? known.found : undefined
  }

  return Effect.fnUntraced(function*(
    coin: string,
    hour: number,
    record: Effect.Effect<SeriesRecord, E>,
    compute: Effect.Effect<Reading<A>, E>
  ): Effect.fn.Return<Reading<A>, E | SourceUnavailable> {
    const began = yield* Clock.currentTimeMillis
    let at = yield* record
    /** Returns the reading, or the new record if the data changed during the computation. */
    const read = Effect.fnUntraced(function*(at: SeriesRecord) {
      const time = yield* Clock.currentTimeMillis
      const found = yield* compute
      const now = yield* record
      if (now.revision !== at.revision) return now
      seen.set(coin, { hour, record: at, time, found })
      return found
    })
    for (let tried = 0, now = began; mayTry(tried, now - began); tried++, now = yield* Clock.currentTimeMillis) {
      const known = recall(coin, hour, at, now)
      if (known !== undefined) return known
      const found = yield* flights(`${coin} ${hour} ${at.revision}`, read(at))
      if ("value" in found) return found
      at = found
    }
    return yield* changesTooFast(coin, at)
  })
}
