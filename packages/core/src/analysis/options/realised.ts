/**
 * What a coin's volatility has been, beside what its options say.
 */
import { Effect } from "effect"
import type { Candle } from "../../market/candle.ts"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import type { MarketError } from "../../market/errors.ts"
import { type Reading, reading } from "../../market/reading.ts"
import { readClosedBars } from "../signals/closedBars.ts"
import { type MeasuredVolatility, measureVolatility, realisedHours } from "../signals/volatility.ts"

export interface Realised extends MeasuredVolatility {
  /** The closed hours that it is measured over, oldest first. */
  readonly hours: ReadonlyArray<Candle>
}

/** `realised_30d_pct`, with its hours; null, and of no hours, where none is recorded. */
export const realised30d = (
  prices: CoinPrices["Service"],
  coin: string
): Effect.Effect<Reading<Realised>, MarketError> =>
  readClosedBars(prices, coin, "1h", realisedHours + 1).pipe(
    Effect.map((bars) =>
      reading({ ...measureVolatility(bars, realisedHours), hours: bars.candles }, bars.sources, bars.end)
    ),
    Effect.catchTag("NoData", () =>
      Effect.succeed<Reading<Realised>>({ value: { pct: null, n: 0, hours: [] }, sources: [], asOf: Infinity }))
  )
