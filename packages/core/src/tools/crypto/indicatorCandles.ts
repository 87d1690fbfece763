import type { Effect } from "effect"
import { type ClosedBars, readClosedBars } from "../../analysis/signals/closedBars.ts"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import type { MarketError } from "../../market/errors.ts"
import type { Timeframe } from "../../market/timeframe.ts"

/** The number of candles after which the first value of EMA(200) has a weight below 1e-6. */
export const indicatorBars = 1_600

/** Reads the closed candles for indicators. */
export const readIndicatorCandles = (
  prices: CoinPrices["Service"],
  coin: string,
  tf: Timeframe
): Effect.Effect<ClosedBars, MarketError> => readClosedBars(prices, coin, tf, indicatorBars)
