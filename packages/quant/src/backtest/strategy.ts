import { notNegative, sameLength, type Series } from "../check.ts"
import { ema, sma } from "../indicators/averages.ts"
import { macd, rsi } from "../indicators/oscillators.ts"
import { atr, bollinger } from "../indicators/ranges.ts"
import type { BacktestBars, BacktestSignals } from "./engine.ts"

/**
 * What a condition compares: a number, or one of `price`, `rsi(n)`, `ema(n)`, `sma(n)`, `atr(n)`, `macd`,
 * `macd.signal`, `macd.histogram`, `bollinger.upper`, `bollinger.middle`, `bollinger.lower` (also with `(n, k)`, as
 * `bollinger(20, 2).upper`), `funding`, `score`.
 */
export type Operand = number | string

export interface Condition {
  readonly left: Operand
  readonly op: "gt" | "lt" | "cross_above" | "cross_below"
  readonly right: Operand
}

/** A strategy as data. All conditions of a list must hold at the same close. */
export interface Strategy {
  readonly entry: ReadonlyArray<Condition>
  readonly exit?: ReadonlyArray<Condition> | undefined
  /** With `both`, entry opens a long and exit a short, each closing the other. */
  readonly side?: "long" | "short" | "both" | undefined
  /** Distance of the stop in ATR(14) of the signal's bar. */
  readonly stop_atr?: number | undefined
  readonly take_atr?: number | undefined
  readonly max_bars?: number | undefined
}

/** Bars, and the series that are not computed from them. A NaN in those makes a condition false. */
export interface StrategyMarket extends BacktestBars {
  readonly funding?: Series | undefined
  readonly score?: Series | undefined
}

const ATR_PERIOD = 14
const CALL = /^([a-z]+)(?:\(([^)]*)\))?(?:\.([a-z]+))?$/

/**
 * Series of an operand.
 *
 * Formula: the indicator of that name, with TA-Lib's usual periods where none are given (14; MACD 12, 26, 9; Bollinger
 * 20, 2). Unit: that of the indicator. A number gives a constant series.
 * Source: the indicators' own.
 *
 * @throws RangeError for an unknown operand or arguments it does not take, or when funding or score is asked for and
 * not given.
 * @example
 * import { operandSeries } from "@tapeline/quant"
 * const price = [1, 2, 3, 4]
 * operandSeries("sma(2)", { open: price, high: price, low: price, close: price }) // => [NaN, 1.5, 2.5, 3.5]
 */
export function operandSeries(operand: Operand, market: StrategyMarket): Series {
  const { high, low, close } = market
  if (typeof operand === "number") {
    if (!Number.isFinite(operand)) throw new RangeError(`strategy: an operand must be a finite number, got ${operand}`)
    return new Float64Array(close.length).fill(operand)
  }
  const unknown = (): RangeError =>
    new RangeError(
      `strategy: unknown operand "${operand}"; use price, rsi(n), ema(n), sma(n), atr(n), macd[.signal|.histogram], bollinger.upper|.middle|.lower, funding, score or a number`
    )
  const [, name, list, field] = CALL.exec(operand.trim().toLowerCase()) ?? []
  if (name === undefined) throw unknown()
  const given = list === undefined || list.trim() === ""
    ? []
    : list.split(",").map((text) => (text.trim() === "" ? NaN : Number(text)))
  const takes = (most: number, fields: ReadonlyArray<string>): void => {
    if (given.length > most || given.some(Number.isNaN) || (field !== undefined && !fields.includes(field))) {
      throw unknown()
    }
  }
  const supplied = (series: Series | undefined): Series => {
    takes(0, [])
    if (series === undefined) {
      throw new RangeError(`strategy: the operand "${operand}" needs a ${name} series, and none was given`)
    }
    sameLength("strategy", `close and ${name}`, close.length, series)
    return series
  }
  switch (name) {
    case "price":
    case "close":
      takes(0, [])
      return close
    case "funding":
      return supplied(market.funding)
    case "score":
      return supplied(market.score)
    case "rsi":
      takes(1, [])
      return rsi(close, given[0] ?? 14)
    case "ema":
      takes(1, [])
      return ema(close, given[0] ?? 20)
    case "sma":
      takes(1, [])
      return sma(close, given[0] ?? 20)
    case "atr":
      takes(1, [])
      return atr(high, low, close, given[0] ?? ATR_PERIOD)
    case "macd": {
      takes(3, ["line", "signal", "histogram"])
      const result = macd(close, given[0] ?? 12, given[1] ?? 26, given[2] ?? 9)
      return field === "signal" ? result.signal : field === "histogram" ? result.histogram : result.line
    }
    case "bollinger": {
      takes(2, ["upper", "middle", "lower"])
      const result = bollinger(close, given[0] ?? 20, given[1] ?? 2)
      return field === "upper" ? result.upper : field === "lower" ? result.lower : result.middle
    }
    default:
      throw unknown()
  }
}

/** 1 where every condition holds. */
function holds(
  conditions: ReadonlyArray<Condition>,
  length: number,
  series: (operand: Operand) => Series
): Uint8Array {
  const out = new Uint8Array(length).fill(conditions.length > 0 ? 1 : 0)
  for (const { left, op, right } of conditions) {
    const a = series(left)
    const b = series(right)
    switch (op) {
      case "gt":
        for (let i = 0; i < length; i++) if (!(a[i]! > b[i]!)) out[i] = 0
        break
      case "lt":
        for (let i = 0; i < length; i++) if (!(a[i]! < b[i]!)) out[i] = 0
        break
      case "cross_above":
        for (let i = 0; i < length; i++) if (i === 0 || !(a[i]! > b[i]! && a[i - 1]! <= b[i - 1]!)) out[i] = 0
        break
      case "cross_below":
        for (let i = 0; i < length; i++) if (i === 0 || !(a[i]! < b[i]! && a[i - 1]! >= b[i - 1]!)) out[i] = 0
        break
      default:
        throw new RangeError(`strategy: op must be gt, lt, cross_above or cross_below, got ${String(op)}`)
    }
  }
  return out
}

/**
 * Signals of a strategy, ready for {@link backtest}.
 *
 * Rule: a condition is judged at each close with what is known then; in the warm-up of an operand it is false. Crossing
 * above means above now and not above one bar earlier. Long and short strategies enter on `entry` and close on `exit`;
 * `both` reverses between a long on entry and a short on exit. Bars on which both hold open nothing. Unit: 1, -1 or 0.
 * Source: convention.
 *
 * @throws RangeError for an empty entry, an unknown operand, op or side, or a negative stop_atr or take_atr.
 * @example
 * import { strategySignals } from "@tapeline/quant"
 * const price = [10, 11, 9, 12]
 * const market = { open: price, high: price, low: price, close: price }
 * const entry = [{ left: "price", op: "cross_above" as const, right: 10.5 }]
 * const exit = [{ left: "price", op: "lt" as const, right: 10 }]
 * const signals = strategySignals({ entry, exit }, market)
 * signals.enter // => [0, 1, 0, 1]
 * signals.exit // => [0, 0, 1, 0]
 */
export function strategySignals(strategy: Strategy, market: StrategyMarket): BacktestSignals {
  const { entry, exit = [], side = "long", stop_atr = 0, take_atr = 0 } = strategy
  if (entry.length === 0) throw new RangeError("strategy: entry needs at least one condition")
  if (side !== "long" && side !== "short" && side !== "both") {
    throw new RangeError(`strategy: side must be long, short or both, got ${String(side)}`)
  }
  notNegative("strategy", "stop_atr", stop_atr)
  notNegative("strategy", "take_atr", take_atr)
  const length = market.close.length
  const known = new Map<Operand, Series>()
  const series = (operand: Operand): Series => {
    let found = known.get(operand)
    if (found === undefined) known.set(operand, found = operandSeries(operand, market))
    return found
  }
  const entering = holds(entry, length, series)
  const exiting = holds(exit, length, series)
  const enter = new Int8Array(length)
  for (let i = 0; i < length; i++) {
    if (entering[i] === exiting[i]) continue
    if (entering[i] === 1) enter[i] = side === "short" ? -1 : 1
    else if (side === "both") enter[i] = -1
  }
  const distance = (multiple: number): Float64Array | undefined => {
    if (multiple === 0) return undefined
    const range = series(`atr(${ATR_PERIOD})`)
    const out = new Float64Array(length)
    for (let i = 0; i < length; i++) out[i] = multiple * range[i]!
    return out
  }
  return {
    enter,
    exit: side === "both" ? undefined : exiting,
    stopDistance: distance(stop_atr),
    takeDistance: distance(take_atr)
  }
}

/**
 * Variants of a strategy over ranges of its parameters.
 *
 * Method: the Cartesian product of the ranges, the last path varying fastest. A path names a place in the strategy with
 * dots, as `entry.0.right` or `stop_atr`. The original is left as it is.
 * Source: grid search.
 *
 * @throws RangeError for a path that does not lead to an existing place or an optional number, an empty range, or more
 * than `most` variants.
 * @example
 * import { strategyGrid } from "@tapeline/quant"
 * const strategy = { entry: [{ left: "rsi(14)", op: "lt" as const, right: 30 }] }
 * const variants = strategyGrid(strategy, { "entry.0.right": [20, 30], stop_atr: [1, 2] })
 * variants.map((v) => [v.strategy.entry[0].right, v.strategy.stop_atr]) // => [[20, 1], [20, 2], [30, 1], [30, 2]]
 */
export function strategyGrid(
  strategy: Strategy,
  ranges: Readonly<Record<string, ReadonlyArray<Operand>>>,
  most = 1000
): ReadonlyArray<{ readonly strategy: Strategy; readonly values: Readonly<Record<string, Operand>> }> {
  let variants: Array<{ strategy: Strategy; values: Record<string, Operand> }> = [{ strategy, values: {} }]
  for (const [path, values] of Object.entries(ranges)) {
    if (values.length === 0) throw new RangeError(`strategyGrid: the range of ${path} is empty`)
    if (variants.length * values.length > most) {
      throw new RangeError(`strategyGrid: more than ${most} variants; give fewer values`)
    }
    variants = variants.flatMap((variant) =>
      values.map((value) => ({
        strategy: withValue(variant.strategy, path, value),
        values: { ...variant.values, [path]: value }
      }))
    )
  }
  return variants
}

const OPTIONAL = new Set(["stop_atr", "take_atr", "max_bars"])

function withValue(strategy: Strategy, path: string, value: Operand): Strategy {
  // A strategy is plain data by definition.
  const copy = JSON.parse(JSON.stringify(strategy)) as Strategy
  const steps = path.split(".")
  const last = steps.pop()!
  let place: unknown = copy
  for (const step of steps) {
    place = typeof place === "object" && place !== null && Object.hasOwn(place, step)
      ? Reflect.get(place, step)
      : undefined
  }
  const exists = typeof place === "object" && place !== null &&
    (Object.hasOwn(place, last) || (place === copy && OPTIONAL.has(last)))
  if (!exists) throw new RangeError(`strategyGrid: the path ${path} leads nowhere in the strategy`)
  // A place in which something exists is an object.
  Reflect.set(place as object, last, value)
  return copy
}
