import { Effect } from "effect"
import { averagesFrom, warmUpHours } from "../../analysis/signals/averages.ts"
import { type ClosedBars, readClosedBars } from "../../analysis/signals/closedBars.ts"
import { firstFrom } from "../../analysis/signals/columns.ts"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import type { MarketError } from "../../market/errors.ts"
import { hourMs, type Timeframe } from "../../market/timeframe.ts"

/**
 * Bars that indicators are computed over. EMA(200) begins as the mean of 200 bars; after 1,600 bars less than 1e-6 of
 * that start is left. Of 1h the bars are those of the scores, which leave a fiftieth of it.
 */
export const indicatorBars = (tf: Timeframe): number => tf === "1h" ? warmUpHours : 1_600

/** Of 1h: from where averages begin to the newest closed hour, which may be one of the day before. */
const hours = warmUpHours + 48

/**
 * The closed candles that indicators stand on: of 1h from where those of the scores of the hour begin, so that both
 * have the same averages.
 */
export const readIndicatorCandles = (
  prices: CoinPrices["Service"],
  coin: string,
  tf: Timeframe
): Effect.Effect<ClosedBars, MarketError> =>
  tf !== "1h"
    ? readClosedBars(prices, coin, tf, indicatorBars(tf))
    : Effect.map(readClosedBars(prices, coin, tf, hours), (bars) => {
      const newest = bars.candles.at(-1)!
      return { ...bars, candles: bars.candles.slice(firstFrom(bars.candles, averagesFrom(newest.time + hourMs))) }
    })
