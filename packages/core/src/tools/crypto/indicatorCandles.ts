import { Effect } from "effect"
import { getAveragesStart, warmUpHours } from "../../analysis/signals/averages.ts"
import { findFirstIndex } from "../../analysis/signals/candleColumns.ts"
import { type ClosedBars, readClosedBars } from "../../analysis/signals/closedBars.ts"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import type { MarketError } from "../../market/errors.ts"
import { hourMs, type Timeframe } from "../../market/timeframe.ts"

/** Returns the number of bars after which less than 1e-6 (for 1h, a fiftieth) of the start of EMA(200) remains. */
export const countIndicatorBars = (tf: Timeframe): number => tf === "1h" ? warmUpHours : 1_600

/** The number of 1h bars to read, because the newest closed hour may be an hour of the previous day. */
const hourlyBars = warmUpHours + 48

/** Returns the closed candles for indicators; for 1h, the candles begin with the first candle of the hour's scores. */
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
