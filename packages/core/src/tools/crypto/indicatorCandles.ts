import { Effect } from "effect"
import { getAveragesStart, warmUpHours } from "../../analysis/signals/averages.ts"
import { findFirstIndex } from "../../analysis/signals/candleColumns.ts"
import { type ClosedBars, readClosedBars } from "../../analysis/signals/closedBars.ts"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import type { MarketError } from "../../market/errors.ts"
import { hourMs, type Timeframe } from "../../market/timeframe.ts"

/**
 * Returns the number of candles after which the first value of EMA(200) has a weight below 1e-6. For 1h, the
 * weight is below a fiftieth.
 */
export const countIndicatorBars = (tf: Timeframe): number => tf === "1h" ? warmUpHours : 1_600

/**
 * The number of 1h candles to read for indicators. Two days are added, because the newest closed hour may be on the
 * previous day.
 */
const hourlyBars = warmUpHours + 48

/** Returns the closed candles for indicators. For 1h, the candles begin where the averages of the score begin. */
export const readIndicatorCandles = (
  prices: CoinPrices["Service"],
  coin: string,
  tf: Timeframe
): Effect.Effect<ClosedBars, MarketError> =>
  tf !== "1h"
    ? readClosedBars(prices, coin, tf, countIndicatorBars(tf))
    : Effect.map(readClosedBars(prices, coin, tf, hourlyBars), (bars) => {
      const newest = bars.candles.at(-1)!
      return {
        ...bars,
        candles: bars.candles.slice(findFirstIndex(bars.candles, getAveragesStart(newest.time + hourMs)))
      }
    })
