import { Effect } from "effect"
import type { Candle } from "../../market/candle.ts"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import type { MarketError } from "../../market/errors.ts"
import { makeReading, type Reading } from "../../market/reading.ts"
import { readClosedBars } from "../signals/closedBars.ts"
import { type MeasuredVolatility, measureVolatility, realisedHours } from "../signals/volatility.ts"

export interface RealisedVolatility extends MeasuredVolatility {
  /** The closed hourly candles from which the volatility is computed, oldest first. */
  readonly hours: ReadonlyArray<Candle>
}

/** Reads the realised volatility of the last 30 days. The volatility is null if no candles are recorded. */
export const readRealised30d = (
  prices: CoinPrices["Service"],
  coin: string
): Effect.Effect<Reading<RealisedVolatility>, MarketError> =>
  readClosedBars(prices, coin, "1h", realisedHours + 1).pipe(
    Effect.map((bars) =>
      makeReading({ ...measureVolatility(bars, realisedHours), hours: bars.candles }, bars.sources, bars.end)
    ),
    Effect.catchTag(
      "NoData",
      () =>
        Effect.succeed<Reading<RealisedVolatility>>({
          value: { pct: null, n: 0, hours: [] },
          sources: [],
          asOf: Infinity
        })
    )
  )
