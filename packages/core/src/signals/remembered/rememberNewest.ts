import { Effect } from "effect"
import type { Reading } from "../../market/reading.ts"
import { makeFlights } from "./flights.ts"
import type { SeriesRecord } from "./records.ts"

/**
 * Remembers the newest reading of each coin, where what it stands on is recorded up to its hour, and is the same after
 * it was computed as before. One for each coin that is listed: nobody else is asked about.
 *
 * @returns gives the reading of a coin at an hour, and computes it once for all who ask meanwhile.
 */
export const rememberNewest = <A, E>() => {
  const seen = new Map<string, { readonly key: string; readonly found: Reading<A> }>()
  const flights = makeFlights<Reading<A>, E>()
  return Effect.fnUntraced(function*(
    coin: string,
    hour: number,
    record: Effect.Effect<SeriesRecord, E>,
    compute: Effect.Effect<Reading<A>, E>
  ) {
    const { revision, until } = yield* record
    const key = `${hour} ${revision}`
    const known = seen.get(coin)
    if (known?.key === key) return known.found
    return yield* flights(
      `${coin} ${key}`,
      Effect.gen(function*() {
        const found = yield* compute
        if (hour <= until && (yield* record).revision === revision) seen.set(coin, { key, found })
        return found
      })
    )
  })
}
