import { Effect } from "effect"
import type { Candle } from "../../market/candle.ts"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import type { MarketError } from "../../market/errors.ts"
import { type Reading, reading } from "../../market/reading.ts"
import { hourMs } from "../../market/timeframe.ts"
import { closedOnly } from "./columns.ts"
import { orEmpty } from "./readings.ts"

/**
 * The closed 1h candles that a reading of the newest hour looks back on; as of that hour, `to` where there is none.
 * While the newest hours lag, the one that stands for them looks back as far as it did in time.
 *
 * @param lookBack where the candles of an hour begin that closed at an instant.
 */
export const closedHours = Effect.fnUntraced(function*(
  prices: CoinPrices["Service"],
  coin: string,
  to: number,
  lookBack: (close: number) => number
): Effect.fn.Return<Reading<ReadonlyArray<Candle>>, MarketError> {
  const read = (until: number) =>
    orEmpty(prices.candleRange({ coin, timeframe: "1h", from: lookBack(until), to: until }))
  const endOf = (candles: ReadonlyArray<Candle>): number => (candles.at(-1)?.time ?? to - hourMs) + hourMs
  const found = yield* read(to)
  const newest = endOf(closedOnly(found.value))
  const { sources, value } = newest < to ? yield* read(newest) : found
  const closed = closedOnly(value)
  return reading(closed, sources, endOf(closed))
})
