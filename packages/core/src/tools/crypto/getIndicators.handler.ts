import { Effect } from "effect"
import { barNotes } from "../../analysis/staleness.ts"
import { formatCount } from "../../engine/text/formatting.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { countMissingCandles } from "../../market/candle.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { sourceText } from "../../market/provenance.ts"
import { durationMs } from "../../market/timeframe.ts"
import { getIndicators } from "./getIndicators.ts"
import { indicatorBars, readIndicatorCandles } from "./indicatorCandles.ts"
import { computeIndicators } from "./indicators.ts"

/** The number of bars after which recursive averages, except EMA(200), no longer depend on their start. */
const settledBars = 250

const makeNotes = (bars: number, missing: number, hasNulls: boolean): Array<string> => {
  const notes: Array<string> = []
  if (missing > 0) {
    notes.push(
      `${formatCount(missing, "candle")} within this period ${
        missing === 1 ? "was" : "were"
      } not recorded: averages skip missing candles, and values of a window with a missing candle are null.`
    )
  }
  if (bars < settledBars) {
    notes.push(
      `Only ${formatCount(bars, "closed candle")} ${
        bars === 1 ? "exists" : "exist"
      }: exponential averages settle after ${settledBars}.`
    )
  } else if (bars < indicatorBars) {
    notes.push(
      `Only ${bars} closed candles exist: EMA(200) still depends on its start value, and settles after ${indicatorBars}.`
    )
  }
  if (hasNulls) notes.push("Values that need more candles are null.")
  return notes
}

export const handler = handlerOf(
  getIndicators,
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    return Effect.fnUntraced(function*({ coin, tf }) {
      const reading = yield* readIndicatorCandles(prices, coin, tf)
      const candles = reading.candles
      const newest = candles.at(-1)!
      const indicators = computeIndicators(reading)
      const notes = [
        ...barNotes(coin, reading),
        ...makeNotes(
          candles.length,
          countMissingCandles(candles, durationMs[tf]),
          indicators.ema["200"] === null
        )
      ]
      const { lower, upper } = indicators.bollinger
      if (upper !== null && upper === lower) {
        notes.push("The last 20 closes are equal, so there is no position between the Bollinger bands.")
      }
      return {
        coin,
        tf,
        candle_time: formatInstant(newest.time),
        close: newest.close,
        ...indicators,
        n: candles.length,
        notes,
        as_of: formatInstant(reading.end),
        source: sourceText(reading)
      }
    })
  })
)
