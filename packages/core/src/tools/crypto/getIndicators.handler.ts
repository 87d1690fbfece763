import { Effect } from "effect"
import { barNotes } from "../../analysis/stale.ts"
import { counted } from "../../engine/text/counted.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { holesIn } from "../../market/candle.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { sourceOf } from "../../market/provenance.ts"
import { durationMs } from "../../market/timeframe.ts"
import { getIndicators } from "./getIndicators.ts"
import { indicatorBars, readIndicatorCandles } from "./indicatorCandles.ts"
import { indicatorsOf } from "./indicators.ts"

/** The number of bars after which recursive averages, except EMA(200), no longer depend on their start. */
const settled = 250

/** Returns notes on missing data behind the values. */
const notesOn = (bars: number, needed: number, missing: number, lacking: boolean): Array<string> => {
  const notes: Array<string> = []
  if (missing > 0) {
    notes.push(
      `${counted(missing, "candle")} between these ${
        missing === 1 ? "was" : "were"
      } not recorded: averages run over the others, and values of a window that holds one are null.`
    )
  }
  if (bars < settled) {
    notes.push(
      `Only ${counted(bars, "closed candle")} ${
        bars === 1 ? "is" : "are"
      } there: averages that feed on themselves settle after ${settled}.`
    )
  } else if (bars < needed) {
    notes.push(
      `Only ${bars} closed candles are there: EMA(200) still leans on its start, and settles after ${needed}.`
    )
  }
  if (lacking) notes.push("Values that need more candles than that are null.")
  return notes
}

export const handler = handlerOf(
  getIndicators,
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    return Effect.fnUntraced(function*({ coin, tf }) {
      const read = yield* readIndicatorCandles(prices, coin, tf)
      const all = read.candles
      const newest = all.at(-1)!
      const found = indicatorsOf(read)
      const notes = [
        ...barNotes(coin, read),
        ...notesOn(all.length, indicatorBars(tf), holesIn(all, durationMs[tf]), found.ema["200"] === null)
      ]
      const { lower, upper } = found.bollinger
      if (upper !== null && upper === lower) {
        notes.push("The last 20 closes are equal: the position between the Bollinger bands does not exist.")
      }
      return {
        coin,
        tf,
        candle_time: instant(newest.time),
        close: newest.close,
        ...found,
        n: all.length,
        notes,
        as_of: instant(read.end),
        source: sourceOf(read)
      }
    })
  })
)
