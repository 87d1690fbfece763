import { Effect } from "effect"
import type { Candle } from "../../market/candle.ts"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import type { MarketError } from "../../market/errors.ts"
import { makeReading, type Reading } from "../../market/reading.ts"
import { hourMs } from "../../market/timeframe.ts"
import { filterClosed } from "./candleColumns.ts"
import { orEmptyList } from "./readings.ts"

/**
 * Reads the closed 1h candles that are needed for a value at the newest recorded hour. `asOf` is the close of the
 * newest candle, or `to` if no candle is recorded.
 *
 * @param lookBack returns the start of the candles for an hour that closed at the given time.
 */
export const readClosedHours = Effect.fnUntraced(function*(
  prices: CoinPrices["Service"],
  coin: string,
  to: number,
  lookBack: (close: number) => number
): Effect.fn.Return<Reading<ReadonlyArray<Candle>>, MarketError> {
  const readUntil = (until: number) =>
    orEmptyList(prices.candleRange({ coin, timeframe: "1h", from: lookBack(until), to: until }))
  const getEnd = (candles: ReadonlyArray<Candle>): number => (candles.at(-1)?.time ?? to - hourMs) + hourMs
  const found = yield* readUntil(to)
  const newest = getEnd(filterClosed(found.value))
  const { sources, value } = newest < to ? yield* readUntil(newest) : found
  const closed = filterClosed(value)
  return makeReading(closed, sources, getEnd(closed))
})
