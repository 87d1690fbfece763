import { checkSameLength, type Series } from "../check.ts"
import { ema, sma } from "../indicators/averages.ts"
import { rollingMax, rollingMin } from "../indicators/extremes.ts"
import { macd, rsi } from "../indicators/oscillators.ts"
import { adx, atr, bollinger } from "../indicators/ranges.ts"
import { vwap } from "../indicators/volume.ts"
import type { BacktestBars } from "./engine.ts"
import { type Operand, type OperandCall, type OperandName, parseOperand } from "./operandSyntax.ts"

/**
 * The bars of a market, with optional further series for the operands of a strategy. A condition on a NaN value is
 * false.
 */
export interface StrategyMarket extends BacktestBars {
  /** The traded volume of each bar. Only the operand `vwap` uses `volume` and `session`. */
  readonly volume?: Series | undefined
  readonly session?: Series | undefined
  readonly funding?: Series | undefined
  readonly open_interest?: Series | undefined
  readonly score?: Series | undefined
}

const getSuppliedSeries = (name: "volume" | "funding" | "open_interest" | "score", market: StrategyMarket): Series => {
  const series = market[name]
  if (series === undefined) {
    throw new RangeError(`strategy: an operand needs a series of ${name}, which is missing`)
  }
  checkSameLength("strategy", `close and ${name}`, market.close.length, series)
  return series
}

const shiftByOneBar = (x: Float64Array): Float64Array => {
  x.copyWithin(1, 0)
  if (x.length > 0) x[0] = NaN
  return x
}

const operandSeriesByName: Readonly<Record<OperandName, (market: StrategyMarket, call: OperandCall) => Series>> = {
  price: ({ close }) => close,
  close: ({ close }) => close,
  rsi: ({ close }, { given: [n] }) => rsi(close, n),
  ema: ({ close }, { given: [n] }) => ema(close, n!),
  sma: ({ close }, { given: [n] }) => sma(close, n!),
  atr: ({ close, high, low }, { given: [n] }) => atr(high, low, close, n),
  adx: ({ close, high, low }, { given: [n] }) => adx(high, low, close, n).adx,
  highest: ({ high }, { given: [n] }) => shiftByOneBar(rollingMax(high, n!)),
  lowest: ({ low }, { given: [n] }) => shiftByOneBar(rollingMin(low, n!)),
  macd: ({ close }, { field, given: [fast, slow, smoothing] }) => {
    const { histogram, line, signal } = macd(close, fast, slow, smoothing)
    return field === "signal" ? signal : field === "histogram" ? histogram : line
  },
  bollinger: ({ close }, { field, given: [n, k] }) => {
    const { lower, middle, upper } = bollinger(close, n, k)
    return field === "upper" ? upper : field === "lower" ? lower : middle
  },
  vwap: (market) => vwap(market.high, market.low, market.close, getSuppliedSeries("volume", market), market.session),
  funding: (market) => getSuppliedSeries("funding", market),
  open_interest: (market) => getSuppliedSeries("open_interest", market),
  score: (market) => getSuppliedSeries("score", market)
}

/**
 * Returns the values of an operand at each bar.
 *
 * Formula: the formula of the indicator that the operand names, such as {@link rsi} for `rsi(14)`. Default periods: 14
 * for RSI, ATR and ADX; 12, 26, 9 for MACD; 20, 2 for Bollinger bands; 20 otherwise. `highest(n)` and `lowest(n)` are
 * the extremes of the previous n bars. The extremes exclude the current bar, so that the current close can cross the
 * extremes. Unit: the unit of the indicator. A numeric operand gives a constant series.
 * Source: the sources of the functions {@link rsi}, {@link ema}, {@link sma}, {@link atr}, {@link adx}, {@link macd},
 * {@link bollinger}, {@link vwap}, {@link rollingMax} and {@link rollingMin}.
 *
 * @throws RangeError for an unknown operand, for invalid arguments, or when the market does not contain a needed
 * series.
 * @example
 * import { operandSeries } from "@tapeline/quant"
 * const price = [1, 2, 3, 4]
 * const market = { open: price, high: price, low: price, close: price }
 * operandSeries("sma(2)", market) // => [NaN, 1.5, 2.5, 3.5]
 * operandSeries("highest(2)", market) // => [NaN, NaN, 2, 3]
 */
export function operandSeries(operand: Operand, market: StrategyMarket): Series {
  if (typeof operand === "number") {
    if (!Number.isFinite(operand)) throw new RangeError(`strategy: an operand must be a finite number, got ${operand}`)
    return new Float64Array(market.close.length).fill(operand)
  }
  const call = parseOperand(operand)
  return operandSeriesByName[call.name](market, call)
}

/** Returns the series of an operand, and computes each series only once. */
export type OperandSource = (operand: Operand) => Series

/**
 * Creates a function that returns the series of an operand, and computes each series only on the first request.
 *
 * Formula: {@link operandSeries}. Unit: the unit of {@link operandSeries}.
 * Source: {@link operandSeries}.
 *
 * @example
 * import { operandSource } from "@tapeline/quant"
 * const price = [1, 2, 3, 4]
 * const series = operandSource({ open: price, high: price, low: price, close: price })
 * series("sma(2)") === series("sma(2)") // => true
 */
export function operandSource(market: StrategyMarket): OperandSource {
  const seriesByOperand = new Map<Operand, Series>()
  return (operand) => {
    let found = seriesByOperand.get(operand)
    if (found === undefined) seriesByOperand.set(operand, found = operandSeries(operand, market))
    return found
  }
}
