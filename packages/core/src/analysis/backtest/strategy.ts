/**
 * Strategies as arguments have them: data, never code. Free of what runs, for browsers.
 */
import { parseOperand, strategyGrid, strategyWith } from "@tapeline/quant/strategy"
import { Schema } from "effect"
import { expects, integerBetween, optional, withDefault } from "../../engine/tool/argument.ts"

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

const Operand = Value.check(Schema.makeFilter(isOperand, expects("an operand", { key: "expected_operand" })))

const conditionOps = ["gt", "lt", "cross_above", "cross_below"] as const

const Condition = Schema.Struct({ left: Operand, op: Schema.Literals(conditionOps), right: Operand }).annotate({
  identifier: "Condition"
})

/** What conditions compare, for one tool to say and its neighbours to point to. */
export const operandsDescription =
  "Operands: number, price, rsi(14), ema(n), sma(n), atr(14), adx(14), highest(n), lowest(n) of the n bars before, macd[.signal|.histogram], bollinger(20,2)[.upper|.lower], vwap (UTC day), funding (percent), open_interest (coins), score. All of entry must hold; exit opens the short of `both`; stops in ATR(14)"

const someItems = Schema.isMinLength(1, expects("at least 1 item", { key: "expected_items", params: { minimum: 1 } }))
const atrs = optional(Schema.Finite.check(Schema.isGreaterThan(0), Schema.isLessThanOrEqualTo(100)))

export const StrategyArgument = Schema.Struct({
  entry: Schema.Array(Condition).check(someItems, Schema.isMaxLength(10)),
  exit: withDefault(Schema.Array(Condition).check(Schema.isMaxLength(10)), []),
  side: withDefault(Schema.Literals(["long", "short", "both"]), "long"),
  stop_atr: atrs,
  take_atr: atrs,
  max_bars: optional(integerBetween(1, 20_000))
})

/** A strategy as handlers and jobs have it. */
export const StrategyData = Schema.toType(StrategyArgument)
export type StrategyData = typeof StrategyData.Type

/** Why a trade ended. */
export const exitReasons = ["signal", "reverse", "stop", "take", "max_bars", "end", "ruin"] as const

/** As many variants of a strategy are tried at most. */
export const mostCombinations = 200

const RangeArgument = Schema.Struct({
  path: Schema.String.annotate({ description: "entry.0.right, stop_atr" }),
  values: Schema.Array(Value).check(someItems, Schema.isMaxLength(mostCombinations))
})
export type Range = typeof RangeArgument.Type

export const RangesArgument = Schema.Array(RangeArgument).annotate({ description: "At most 200 combinations" }).check(
  someItems,
  Schema.isMaxLength(8),
  Schema.makeFilter(
    (ranges) => ranges.reduce((product, { values }) => product * values.length, 1) <= mostCombinations,
    expects("at most 200 combinations", { key: "expected_combinations", params: { maximum: mostCombinations } })
  )
)

const isStrategy = Schema.is(StrategyData)

/** The strategy with a value at a path; undefined where the path leads nowhere. */
const withValue = (strategy: StrategyData, path: string, value: number | string) => {
  try {
    return strategyWith(strategy, path, value)
  } catch {
    return undefined
  }
}

/** Several ways to write a path name one place. */
const placeOf = (path: string): string => path.replace(/\[(\d+)\]/u, ".$1").replace(/\.0+(?=\d)/u, ".")

interface Ranged {
  readonly strategy: StrategyData
  readonly ranges: ReadonlyArray<Range>
}

/** Every range names a place of the strategy, and no two of them the same. */
export const rangesHavePlaces = Schema.makeFilter<Ranged>(
  ({ ranges, strategy }) => {
    const seen = new Set<string>()
    return ranges.flatMap(({ path }, i) => {
      const isNew = !seen.has(placeOf(path))
      seen.add(placeOf(path))
      return isNew && withValue(strategy, path, 0) !== undefined
        ? []
        : [{ path: ["ranges", i, "path"], issue: "expected a place in the strategy" }]
    })
  },
  expects("places of the strategy", { key: "expected_place" })
)

/** Every value makes a strategy where it is put. */
export const valuesFit = Schema.makeFilter<Ranged>(
  ({ ranges, strategy }) =>
    ranges.flatMap(({ path, values }, i) =>
      values.flatMap((value, k) => {
        const variant = withValue(strategy, path, value)
        return variant === undefined || isStrategy(variant)
          ? []
          : [{ path: ["ranges", i, "values", k], issue: "expected a value that fits" }]
      })
    ),
  expects("values that fit", { key: "expected_fitting" })
)

/** Every strategy that ranges make of one, the last range varying fastest, with its values in the ranges' order. */
export const variantsOf = ({ ranges, strategy }: Ranged) =>
  strategyGrid(strategy, Object.fromEntries(ranges.map(({ path, values }) => [path, values])), mostCombinations).map(
    (variant) => ({
      // Arguments of which any value made no strategy were refused.
      strategy: variant.strategy as StrategyData,
      values: ranges.map(({ path }) => variant.values[path]!)
    })
  )

/** The names of the operands that some strategies compare. */
export const operandsOf = (strategies: ReadonlyArray<StrategyData>): ReadonlySet<string> =>
  new Set(
    strategies.flatMap(({ entry, exit }) =>
      [...entry, ...exit].flatMap(({ left, right }) =>
        [left, right].flatMap((operand) => typeof operand === "string" ? [parseOperand(operand).name] : [])
      )
    )
  )
