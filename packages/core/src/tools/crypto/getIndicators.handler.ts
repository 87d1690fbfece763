import { adx, atr, bollinger, ema, macd, rangePosition, roc, rsi, stochastic } from "@tapeline/quant/indicators"
import { Effect } from "effect"
import { afterLastHole, holesIn } from "../../market/candle.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { NoData } from "../../market/errors.ts"
import { durationMs } from "../../market/timeframe.ts"
import { barsOf } from "../../signals/averages.ts"
import { columnsOf } from "../../signals/columns.ts"
import { layOnGrid } from "../../signals/grid.ts"
import { counted } from "../../text/counted.ts"
import { handlerOf } from "../../tool/implement.ts"
import { finiteOrNull, instant, sourceOf } from "../../tool/result.ts"
import { level } from "../../tool/rounding.ts"
import { getIndicators } from "./getIndicators.ts"
import { history, readIndicatorCandles } from "./indicatorCandles.ts"

/** Bars after which averages that feed on themselves, EMA(200) apart, keep no trace of their start. */
const settled = 250

const asWritten = (price: number | null): number | null => price === null ? null : level(price)

const last = (series: Float64Array): number | null => finiteOrNull(series[series.length - 1])

/** The histogram is the difference of the two as they are written. */
const macdRow = (line: number | null, signal: number | null) => ({
  line,
  signal,
  histogram: line === null || signal === null ? null : level(line) - level(signal)
})

/** What the values stand on, where that is less than it might be. */
const notesOn = (bars: number, missing: number, lacking: boolean): Array<string> => {
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
  } else if (bars < history) {
    notes.push(
      `Only ${bars} closed candles are there: EMA(200) still leans on its start, and settles after ${history}.`
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
      // Windows of bars are windows of time only among candles that adjoin.
      const closed = afterLastHole(all, durationMs[tf])
      const newest = closed[closed.length - 1]
      if (newest === undefined) {
        return yield* new NoData({
          subject: `${coin} ${tf} candles`,
          reason: { key: "none_closed", params: { symbol: coin, timeframe: tf } }
        })
      }
      const { close, high, low } = columnsOf(closed)
      const grid = layOnGrid(columnsOf(all), all[0]!.time, newest.time + durationMs[tf], durationMs[tf])
      const { close: closes, joined } = barsOf(grid, 0, grid.time.length)
      const { line, signal } = macd(closes, 12, 26, 9)
      const bands = bollinger(close, 20, 2)
      // As they are written, so that the width and the position repeat from what a reader sees.
      const upper = asWritten(last(bands.upper))
      const middle = asWritten(last(bands.middle))
      const lower = asWritten(last(bands.lower))
      const movement = adx(joined.high, joined.low, joined.close, 14)
      const range = last(atr(joined.high, joined.low, joined.close, 14))
      const slow = stochastic(high, low, close, 14, 3, 3)
      const ema200 = last(ema(closes, 200))
      const notes = [...read.notes, ...notesOn(all.length, holesIn(all, durationMs[tf]), ema200 === null)]
      const width = upper === null || lower === null ? null : upper - lower
      if (width === 0) {
        notes.push("The last 20 closes are equal: the position between the Bollinger bands does not exist.")
      }
      return {
        coin,
        tf,
        candle_time: instant(newest.time),
        close: newest.close,
        rsi: last(rsi(joined.close, 14)),
        macd: macdRow(last(line), last(signal)),
        momentum_pct: last(roc(close, 10)),
        range_position_pct: last(rangePosition(high, low, close, 20)),
        ema: { "20": last(ema(closes, 20)), "50": last(ema(closes, 50)), "200": ema200 },
        bollinger: {
          upper,
          middle,
          lower,
          width_pct: width === null || middle === null ? null : finiteOrNull((width / middle) * 100),
          position_pct: width === null || lower === null ? null : finiteOrNull(((newest.close - lower) / width) * 100)
        },
        adx: last(movement.adx),
        plus_di: last(movement.plusDi),
        minus_di: last(movement.minusDi),
        atr: range,
        atr_pct: range === null ? null : (range / newest.close) * 100,
        stochastic: { k: last(slow.k), d: last(slow.d) },
        n: all.length,
        notes,
        as_of: instant(read.end),
        source: sourceOf(read)
      }
    })
  })
)
