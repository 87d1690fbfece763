/** Measures how often a coin's price rose in short windows, and how often simple signals predicted the next window. */
import { rsi, sma } from "@tapeline/quant/indicators"
import { hitRate } from "@tapeline/quant/probability"
import type { Candle } from "../../market/candle.ts"
import { durationMs, minuteMs, type Timeframe } from "../../market/timeframe.ts"

/** A window `[time, time + horizon)` whose candles were all recorded. */
export interface ShortWindow {
  readonly time: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  /** The share of taker buying in the volume, 0 to 1; null if unknown, or if nothing was traded. */
  readonly takerShare: number | null
}

/** The direction that a signal predicts for the next window: 1 for up, -1 for down, and 0 for no prediction. */
export type Direction = 1 | -1 | 0

/** Returns the timeframe and the number of the candles that the windows need, and the window length in minutes. */
export const chooseSampling = (horizonMin: number) => {
  const measuredMin = Math.max(5, 5 * Math.round(horizonMin / 5))
  return measuredMin % 60 === 0
    ? { measuredMin, tf: "1h", bars: 8760 } as const
    : measuredMin % 15 === 0
    ? { measuredMin, tf: "15m", bars: 5760 } as const
    : { measuredMin, tf: "5m", bars: 8640 } as const
}

/** Returns the complete windows of `measuredMin` minutes that begin at multiples of their length since 1970. */
export const makeWindows = (
  candles: ReadonlyArray<Candle>,
  tf: Timeframe,
  measuredMin: number
): ReadonlyArray<ShortWindow> => {
  const lengthMs = measuredMin * minuteMs
  const barsPerWindow = lengthMs / durationMs[tf]
  const windows: Array<ShortWindow> = []
  for (let i = 0; i < candles.length;) {
    const time = Math.floor(candles[i]!.time / lengthMs) * lengthMs
    let end = i + 1
    while (end < candles.length && candles[end]!.time < time + lengthMs) end++
    const windowCandles = candles.slice(i, end)
    i = end
    if (windowCandles.length < barsPerWindow) continue
    const volume = windowCandles.reduce((sum, one) => sum + one.volume, 0)
    const bought = windowCandles.reduce((sum, one) => sum + (one.takerBuyVolume ?? NaN), 0)
    windows.push({
      time,
      open: windowCandles[0]!.open,
      high: Math.max(...windowCandles.map(({ high }) => high)),
      low: Math.min(...windowCandles.map(({ low }) => low)),
      close: windowCandles.at(-1)!.close,
      takerShare: volume > 0 && !Number.isNaN(bought) ? bought / volume : null
    })
  }
  return windows
}

export const lookbackWindows = 20

interface ShortRule {
  readonly name: string
  readonly rule: string
  /**
   * Returns, for each window, the direction that the signal predicts for the following window. A prediction uses no
   * data after its own window.
   */
  readonly predict: (windows: ReadonlyArray<ShortWindow>) => ReadonlyArray<Direction>
}

const toDirection = (value: number): Direction => value > 0 ? 1 : value < 0 ? -1 : 0

const getReturn = ({ close, open }: ShortWindow): number => close / open - 1

/**
 * Calls `decide` for each window that has at least `lookbackWindows` earlier windows. For the first `lookbackWindows`
 * windows, the direction is 0.
 */
const decideAfterEach = (
  windows: ReadonlyArray<ShortWindow>,
  decide: (i: number, from: number) => Direction
): ReadonlyArray<Direction> => windows.map((_, i) => i < lookbackWindows ? 0 : decide(i, i - lookbackWindows))

const getDeviation = (values: Float64Array, from: number, to: number): number => {
  let mean = 0
  for (let i = from; i < to; i++) mean += values[i]! / (to - from)
  let squares = 0
  for (let i = from; i < to; i++) squares += (values[i]! - mean) ** 2
  return Math.sqrt(squares / (to - from - 1))
}

export const shortRules: ReadonlyArray<ShortRule> = [
  {
    name: "momentum",
    rule: "Up after a window that rose, down after a window that fell.",
    predict: (windows) => windows.map((window) => toDirection(getReturn(window)))
  },
  {
    name: "reversal",
    rule: "Against the move of a window that moved by more than one standard deviation of the previous 20 windows.",
    predict: (windows) => {
      const returns = Float64Array.from(windows, getReturn)
      return decideAfterEach(
        windows,
        (i, from) => Math.abs(returns[i]!) > getDeviation(returns, from, i) ? toDirection(-returns[i]!) : 0
      )
    }
  },
  {
    name: "trend",
    rule: "Up while the last close is above the mean of the last 20 closes, down while it is below.",
    predict: (windows) => {
      const mean = sma(windows.map(({ close }) => close), lookbackWindows)
      return windows.map(({ close }, i) => Number.isNaN(mean[i]!) ? 0 : toDirection(close - mean[i]!))
    }
  },
  {
    name: "rsi_extreme",
    rule: "Up while RSI(14) of the closes is below 30, down while it is above 70.",
    predict: (windows) => {
      const values = rsi(windows.map(({ close }) => close), 14)
      return windows.map((_, i) => values[i]! < 30 ? 1 : values[i]! > 70 ? -1 : 0)
    }
  },
  {
    name: "breakout",
    rule:
      "Up after a close above the highest high of the previous 20 windows, down after a close below their lowest low.",
    predict: (windows) =>
      decideAfterEach(windows, (i, from) => {
        const { close } = windows[i]!
        let [high, low] = [-Infinity, Infinity]
        for (let j = from; j < i; j++) {
          high = Math.max(high, windows[j]!.high)
          low = Math.min(low, windows[j]!.low)
        }
        return close > high ? 1 : close < low ? -1 : 0
      })
  },
  {
    name: "taker_flow",
    rule:
      "Up after a window in which takers bought more than 52 % of the volume, down after a window with less than 48 %.",
    predict: (windows) =>
      windows.map(({ takerShare }) => takerShare === null ? 0 : takerShare > 0.52 ? 1 : takerShare < 0.48 ? -1 : 0)
  }
]

const splitAtHoles = (
  windows: ReadonlyArray<ShortWindow>,
  lengthMs: number
): ReadonlyArray<ReadonlyArray<ShortWindow>> => {
  const runs: Array<Array<ShortWindow>> = []
  for (const window of windows) {
    const run = runs.at(-1)
    if (run !== undefined && window.time - run.at(-1)!.time === lengthMs) run.push(window)
    else runs.push([window])
  }
  return runs
}

/** A share of windows, with its 95% Wilson interval. For fewer than 20 windows, all fields except `n` are null. */
export interface ShortRate {
  readonly rate: number | null
  readonly n: number
  readonly low: number | null
  readonly high: number | null
}

const minWindows = 20

const makeRate = (hits: number, n: number): ShortRate => {
  const found = hitRate(hits, n, minWindows)
  return { rate: found?.rate ?? null, n, low: found?.low ?? null, high: found?.high ?? null }
}

export interface ShortCalibration {
  /** The share of windows that closed above their open. */
  readonly up: ShortRate
  /** The number of windows that closed at their open. */
  readonly flat: number
  /** The mean return of the windows, in percent; null for fewer than 20 windows. */
  readonly meanReturnPct: number | null
  readonly meanMovePct: number | null
  readonly signals: ReadonlyArray<
    ShortRate & {
      readonly name: string
      readonly rule: string
      /** The predicted direction of the window that follows the newest window. */
      readonly next: Direction
    }
  >
}

/**
 * Computes the statistics of `windows`, which must be sorted oldest first. A window without a price move is never a
 * hit.
 */
export const computeCalibration = (windows: ReadonlyArray<ShortWindow>, measuredMin: number): ShortCalibration => {
  const n = windows.length
  const returns = windows.map(getReturn)
  const meanPct = (values: ReadonlyArray<number>): number | null =>
    n < minWindows ? null : (100 * values.reduce((sum, value) => sum + value, 0)) / n
  const runs = splitAtHoles(windows, measuredMin * minuteMs)
  return {
    up: makeRate(returns.filter((one) => one > 0).length, n),
    flat: returns.filter((one) => one === 0).length,
    meanReturnPct: meanPct(returns),
    meanMovePct: meanPct(returns.map(Math.abs)),
    signals: shortRules.map(({ name, predict, rule }) => {
      let [predictions, hits] = [0, 0]
      let next: Direction = 0
      for (const run of runs) {
        const directions = predict(run)
        for (const [i, window] of run.entries()) {
          const direction = directions[i - 1] ?? 0
          if (direction === 0) continue
          predictions++
          if (direction * getReturn(window) > 0) hits++
        }
        next = directions.at(-1)!
      }
      return { name, rule, ...makeRate(hits, predictions), next }
    })
  }
}
