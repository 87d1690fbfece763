import { checkNotNegative } from "../check.ts"
import type { BacktestSignals } from "./engine.ts"
import { type OperandSource, operandSource, type StrategyMarket } from "./operand.ts"
import type { Operand } from "./operandSyntax.ts"

export interface Condition {
  readonly left: Operand
  readonly op: "gt" | "lt" | "cross_above" | "cross_below"
  readonly right: Operand
}

/** A trading strategy as data. A list of conditions holds if all its conditions hold at the same close. */
export interface Strategy {
  readonly entry: ReadonlyArray<Condition>
  readonly exit?: ReadonlyArray<Condition> | undefined
  /** The side of the trades, where `both` opens a long position on entry and a short position on exit. */
  readonly side?: "long" | "short" | "both" | undefined
  /** The distance of the stop as a multiple of ATR(14) at the bar of the signal. */
  readonly stop_atr?: number | undefined
  readonly take_atr?: number | undefined
  readonly max_bars?: number | undefined
}

/** The result of {@link strategySignals}: the signals of a strategy at each bar. */
export interface StrategySignals extends BacktestSignals {
  readonly enter: Int8Array
  readonly exit: Uint8Array | undefined
  readonly stopDistance: Float64Array | undefined
  readonly takeDistance: Float64Array | undefined
}

const ATR_PERIOD = 14

function clearWhereFalse(out: Uint8Array, { left, op, right }: Condition, series: OperandSource): void {
  const a = series(left)
  const b = series(right)
  const length = out.length
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

/** Returns 1 at bars where all conditions hold, and 0 at other bars or if there are no conditions. */
function evaluateConditions(conditions: ReadonlyArray<Condition>, length: number, series: OperandSource): Uint8Array {
  const out = new Uint8Array(length).fill(conditions.length > 0 ? 1 : 0)
  for (const condition of conditions) clearWhereFalse(out, condition, series)
  return out
}

/**
 * Returns the bars at which a condition holds.
 *
 * Rule: {@link strategySignals}. Unit: 1 where the condition holds, else 0.
 * Source: convention.
 *
 * @throws RangeError for an unknown operand or op.
 * @example
 * import { conditionHolds } from "@tapeline/quant"
 * const price = [10, 11, 9, 12]
 * const market = { open: price, high: price, low: price, close: price }
 * const condition = { left: "price", op: "cross_above" as const, right: 10.5 }
 * Array.from(conditionHolds(condition, market)) // => [0, 1, 0, 1]
 */
export function conditionHolds(
  condition: Condition,
  market: StrategyMarket,
  series: OperandSource = operandSource(market)
): Uint8Array {
  return evaluateConditions([condition], market.close.length, series)
}

/**
 * Returns the signals of a strategy for {@link backtest}.
 *
 * Rule: a condition is evaluated at each close with the data known at the close. A condition is false during the
 * warm-up of its operands. Crossing above means: above at the current bar and not above at the previous bar. Long and
 * short strategies enter on `entry` and close on `exit`; `both` reverses to a long position on `entry`, and to a short
 * position on `exit`. If entry and exit hold at one bar, no position is opened.
 * Unit: 1, -1 or 0.
 * Source: convention.
 *
 * `series` shares computed operands between several strategies on one market.
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
export function strategySignals(
  strategy: Strategy,
  market: StrategyMarket,
  series: OperandSource = operandSource(market)
): StrategySignals {
  const { entry, exit = [], side = "long", stop_atr = 0, take_atr = 0 } = strategy
  if (entry.length === 0) throw new RangeError("strategy: entry needs at least one condition")
  if (side !== "long" && side !== "short" && side !== "both") {
    throw new RangeError(`strategy: side must be long, short or both, got ${String(side)}`)
  }
  checkNotNegative("strategy", "stop_atr", stop_atr)
  checkNotNegative("strategy", "take_atr", take_atr)
  const length = market.close.length
  const entryHolds = evaluateConditions(entry, length, series)
  const exitHolds = evaluateConditions(exit, length, series)
  const enter = new Int8Array(length)
  for (let i = 0; i < length; i++) {
    if (entryHolds[i] === exitHolds[i]) continue
    if (entryHolds[i] === 1) enter[i] = side === "short" ? -1 : 1
    else if (side === "both") enter[i] = -1
  }
  const makeDistances = (multiple: number): Float64Array | undefined => {
    if (multiple === 0) return undefined
    const range = series(`atr(${ATR_PERIOD})`)
    const out = new Float64Array(length)
    for (let i = 0; i < length; i++) out[i] = multiple * range[i]!
    return out
  }
  return {
    enter,
    exit: side === "both" ? undefined : exitHolds,
    stopDistance: makeDistances(stop_atr),
    takeDistance: makeDistances(take_atr)
  }
}
