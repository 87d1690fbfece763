import { type Candle, hourMs } from "@tapeline/core"

export const firstCandleTime = Date.UTC(2026, 0, 5)

/** Returns consecutive closed 1h candles with the given `[open, high, low, close]`. */
export const makeCandles = (bars: ReadonlyArray<readonly [number, number, number, number]>): ReadonlyArray<Candle> =>
  bars.map(([open, high, low, close], i) => ({
    time: firstCandleTime + i * hourMs,
    open,
    high,
    low,
    close,
    volume: 10,
    quoteVolume: 10 * close,
    takerBuyVolume: 5,
    closed: true
  }))

/** Returns closed 1h candles that open at the previous close. The wicks have a length of `wick` times the price. */
export const makeCandlesFromCloses = (closes: ReadonlyArray<number>, wick = 0.001): ReadonlyArray<Candle> =>
  makeCandles(closes.map((close, i) => {
    const open = closes[i - 1] ?? close
    return [open, Math.max(open, close) * (1 + wick), Math.min(open, close) * (1 - wick), close]
  }))
