import { adx, atr, bollinger, ema, macd, rangePosition, roc, rsi, stochastic } from "@tapeline/quant/indicators"
import { Clock, Effect } from "effect"
import { afterLastHole, type Candle } from "../../market/candle.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { NoData } from "../../market/errors.ts"
import { durationMs } from "../../market/timeframe.ts"
import { closedOnly, columnsOf } from "../../signals/columns.ts"
import { handlerOf } from "../../tool/implement.ts"
import { finiteOrNull, instant, sourceOf } from "../../tool/result.ts"
import { level } from "../../tool/rounding.ts"
import { getIndicators } from "./getIndicators.ts"

/** Averages that feed on themselves keep the trace of their start for some 250 bars; EMA(200) starts at bar 200. */
const history = 600
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
const notesOn = (closed: ReadonlyArray<Candle>, all: number, lacking: boolean): Array<string> => {
  const notes: Array<string> = []
  if (closed.length < all) {
    notes.push(`Candles are missing before ${instant(closed[0]!.time)}: values stand on the ${closed.length} since.`)
  }
  if (closed.length < settled) {
    notes.push(
      `Only ${closed.length} closed candles stand in a row: averages that feed on themselves settle after ${settled}.`
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
      const until = yield* Clock.currentTimeMillis
      const read = yield* prices.candles({ coin, timeframe: tf, bars: history + 1, until })
      const all = closedOnly(read.value)
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
      const { line, signal } = macd(close, 12, 26, 9)
      const bands = bollinger(close, 20, 2)
      // As they are written, so that the width and the position repeat from what a reader sees.
      const upper = asWritten(last(bands.upper))
      const middle = asWritten(last(bands.middle))
      const lower = asWritten(last(bands.lower))
      const movement = adx(high, low, close, 14)
      const range = last(atr(high, low, close, 14))
      const slow = stochastic(high, low, close, 14, 3, 3)
      const ema200 = last(ema(close, 200))
      const notes = notesOn(closed, all.length, ema200 === null)
      const width = upper === null || lower === null ? null : upper - lower
      if (width === 0) {
        notes.push("The last 20 closes are equal: the position between the Bollinger bands does not exist.")
      }
      return {
        coin,
        tf,
        candle_time: instant(newest.time),
        close: newest.close,
        rsi: last(rsi(close, 14)),
        macd: macdRow(last(line), last(signal)),
        momentum_pct: last(roc(close, 10)),
        range_position_pct: last(rangePosition(high, low, close, 20)),
        ema: { "20": last(ema(close, 20)), "50": last(ema(close, 50)), "200": ema200 },
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
        n: closed.length,
        notes,
        as_of: instant(newest.time + durationMs[tf]),
        source: sourceOf(read)
      }
    })
  })
)
