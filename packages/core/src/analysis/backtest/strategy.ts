/** The schemas of the trading strategies that callers pass to tools as arguments. */
// Browsers can load this file, so the file must not import server code.
import { parseOperand, strategyGrid, strategyWith } from "@tapeline/quant/strategy"
import { Schema } from "effect"
import { expectation, integerBetween, optional, withDefault } from "../../engine/tool/argument.ts"

const isOperand = (operand: number | string): boolean => {
  if (typeof operand === "number") return true
  try {
    parseOperand(operand)
    return true
  } catch {
    return false
  }
}

const Value = Schema.Union([Schema.Finite, Schema.String])

const Operand = Value.check(Schema.makeFilter(isOperand, expectation("an operand", { key: "expected_operand" })))

const conditionOps = ["gt", "lt", "cross_above", "cross_below"] as const

const Condition = Schema.Struct({ left: Operand, op: Schema.Literals(conditionOps), right: Operand }).annotate({
  identifier: "Condition"
})

/** The description of a strategy's operands in a tool's argument schema. */
export const operandsDescription =
  "Operands: number, price, rsi(14), ema(n), sma(n), atr(14), adx(14), highest(n), lowest(n) of the previous n bars, macd[.signal|.histogram], bollinger(20,2)[.upper|.lower], vwap (UTC day), funding (percent), open_interest (coins), score. All entry conditions must hold; exit opens the short of `both`; stops in ATR(14)"

const atLeastOneItem = Schema.isMinLength(
  1,
  expectation("at least 1 item", { key: "expected_items", params: { minimum: 1 } })
)
const AtrMultiple = optional(Schema.Finite.check(Schema.isGreaterThan(0), Schema.isLessThanOrEqualTo(100)))

export const StrategyArgument = Schema.Struct({
  entry: Schema.Array(Condition).check(atLeastOneItem, Schema.isMaxLength(10)),
  exit: withDefault(Schema.Array(Condition).check(Schema.isMaxLength(10)), []),
  side: withDefault(Schema.Literals(["long", "short", "both"]), "long"),
  stop_atr: AtrMultiple,
  take_atr: AtrMultiple,
  max_bars: optional(integerBetween(1, 20_000))
})

export const StrategyData = Schema.toType(StrategyArgument)
export type StrategyData = typeof StrategyData.Type

export const exitReasons = ["signal", "reverse", "stop", "take", "max_bars", "end", "ruin"] as const

export const maxCombinations = 200

const RangeArgument = Schema.Struct({
  path: Schema.String.annotate({ description: "entry.0.right, stop_atr" }),
  values: Schema.Array(Value).check(atLeastOneItem, Schema.isMaxLength(maxCombinations))
})
export type Range = typeof RangeArgument.Type

export const RangesArgument = Schema.Array(RangeArgument).annotate({ description: "At most 200 combinations" }).check(
  atLeastOneItem,
  Schema.isMaxLength(8),
  Schema.makeFilter(
    (ranges) => ranges.reduce((product, { values }) => product * values.length, 1) <= maxCombinations,
    expectation("at most 200 combinations", { key: "expected_combinations", params: { maximum: maxCombinations } })
  )
)

const isStrategy = Schema.is(StrategyData)

const withValue = (strategy: StrategyData, path: string, value: number | string) => {
  try {
    return strategyWith(strategy, path, value)
  } catch {
    return undefined
  }
}

const normalisePath = (path: string): string => path.replace(/\[(\d+)\]/u, ".$1").replace(/\.0+(?=\d)/u, ".")

interface StrategyWithRanges {
  readonly strategy: StrategyData
  readonly ranges: ReadonlyArray<Range>
}

/** Requires that the strategy contains the parameter of each range, and that no two ranges have the same parameter. */
export const rangesNameExistingPaths = Schema.makeFilter<StrategyWithRanges>(
  ({ ranges, strategy }) => {
    const seen = new Set<string>()
    return ranges.flatMap(({ path }, i) => {
      const isNew = !seen.has(normalisePath(path))
      seen.add(normalisePath(path))
      return isNew && withValue(strategy, path, 0) !== undefined
        ? []
        : [{ path: ["ranges", i, "path"], issue: "expected a place in the strategy" }]
    })
  },
  expectation("places of the strategy", { key: "expected_place" })
)

/** Requires that the strategy stays valid with each value of each parameter range. */
export const valuesAreValid = Schema.makeFilter<StrategyWithRanges>(
  ({ ranges, strategy }) =>
    ranges.flatMap(({ path, values }, i) =>
      values.flatMap((value, k) => {
        const variant = withValue(strategy, path, value)
        return variant === undefined || isStrategy(variant)
          ? []
          : [{ path: ["ranges", i, "values", k], issue: "expected a value that fits" }]
      })
    ),
  expectation("values that fit", { key: "expected_fitting" })
)

/**
 * Returns one variant of the strategy for each combination of range values. The variants iterate over the values of the
 * last range first.
 */
export const makeVariants = ({ ranges, strategy }: StrategyWithRanges) =>
  strategyGrid(strategy, Object.fromEntries(ranges.map(({ path, values }) => [path, values])), maxCombinations).map(
    (variant) => ({
      // The schema has already rejected values that make no valid strategy.
      strategy: variant.strategy as StrategyData,
      values: ranges.map(({ path }) => variant.values[path]!)
    })
  )

export const getOperandNames = (strategies: ReadonlyArray<StrategyData>): ReadonlySet<string> =>
  new Set(
    strategies.flatMap(({ entry, exit }) =>
      [...entry, ...exit].flatMap(({ left, right }) =>
        [left, right].flatMap((operand) => typeof operand === "string" ? [parseOperand(operand).name] : [])
      )
    )
  )
