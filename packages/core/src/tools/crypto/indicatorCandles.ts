import { Effect } from "effect"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import type { MarketError } from "../../market/errors.ts"
import { hourMs, type Timeframe } from "../../market/timeframe.ts"
import { averagesFrom, warmUpHours } from "../../signals/averages.ts"
import { type ClosedBars, readClosedBars } from "../../signals/closedBars.ts"
import { firstFrom } from "../../signals/columns.ts"

/** Bars after which averages that feed on themselves keep no trace of their start; EMA(200) needs them all. */
export const history = warmUpHours

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
    ? readClosedBars(prices, coin, tf, history)
    : Effect.map(readClosedBars(prices, coin, tf, hours), (bars) => {
      const newest = bars.candles.at(-1)!
      return { ...bars, candles: bars.candles.slice(firstFrom(bars.candles, averagesFrom(newest.time + hourMs))) }
    })
