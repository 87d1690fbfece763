import { adx, atr, bollinger, ema, macd, rangePosition, roc, rsi, stochastic } from "@tapeline/quant/indicators"
import { Clock, Effect } from "effect"
import { NoData } from "../../market/errors.ts"
import { MarketStore } from "../../market/MarketStore.ts"
import { durationMs } from "../../market/timeframe.ts"
import { closedOnly, columnsOf } from "../../signals/columns.ts"
import { handlerOf } from "../../tool/implement.ts"
import { finiteOrNull, instant } from "../../tool/result.ts"
import { level } from "../../tool/rounding.ts"
import { getIndicators } from "./getIndicators.ts"

/** Averages that feed on themselves keep the trace of their start for some 250 bars; EMA(200) starts at bar 200. */
const history = 600
const settled = 250

const last = (series: Float64Array): number | null => finiteOrNull(series[series.length - 1])

/** The histogram is the difference of the two as they are written. */
const macdRow = (line: number | null, signal: number | null) => ({
  line,
  signal,
  histogram: line === null || signal === null ? null : level(line) - level(signal)
})

export const handler = handlerOf(
  getIndicators,
  Effect.gen(function*() {
    const market = yield* MarketStore
    return Effect.fnUntraced(function*({ coin, tf }) {
      const until = yield* Clock.currentTimeMillis
      const closed = closedOnly(yield* market.candles({ coin, timeframe: tf, bars: history + 1, until }))
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
      const upper = last(bands.upper)
      const middle = last(bands.middle)
      const lower = last(bands.lower)
      const movement = adx(high, low, close, 14)
      const range = last(atr(high, low, close, 14))
      const slow = stochastic(high, low, close, 14, 3, 3)
      const ema200 = last(ema(close, 200))
      const notes: Array<string> = []
      if (closed.length < settled) {
        notes.push(
          `Only ${closed.length} closed candles exist: averages that feed on themselves settle after ${settled}.`
        )
      }
      if (ema200 === null) notes.push("Values that need more candles than exist are null.")
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
        source: market.source
      }
    })
  })
)
