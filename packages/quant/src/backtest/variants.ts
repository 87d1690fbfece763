import type { Operand } from "./operandSyntax.ts"
import type { Condition, Strategy } from "./strategy.ts"

const PATH_PATTERN =
  /^(?:(entry|exit)(?:\.(\d{1,3})|\[(\d{1,3})\])\.(left|op|right)|(side|stop_atr|take_atr|max_bars))$/

/**
 * Returns a copy of a strategy with one value replaced.
 *
 * Method: the path names the value to replace. For example, `entry.0.right` (or `entry[0].right`), `exit.1.left`,
 * `entry.0.op`, `side`, `stop_atr`, `take_atr` and `max_bars` are valid paths. The original strategy is not changed.
 * {@link strategySignals} checks whether the new value is valid.
 * Source: convention.
 *
 * @throws RangeError for a path that does not lead to a place in the strategy.
 * @example
 * import { strategyWith } from "@tapeline/quant"
 * const strategy = { entry: [{ left: "rsi(14)", op: "lt" as const, right: 30 }] }
 * strategyWith(strategy, "entry.0.right", 20).entry[0].right // => 20
 * strategyWith(strategy, "stop_atr", 2).stop_atr // => 2
 */
export function strategyWith(strategy: Strategy, path: string, value: Operand): Strategy {
  const [, list, dotted, bracketed, part, field] = PATH_PATTERN.exec(path) ?? []
  if (field !== undefined) return { ...strategy, [field]: value }
  const index = Number(dotted ?? bracketed)
  const conditions = list === "entry" ? strategy.entry : list === "exit" ? strategy.exit : undefined
  if (part === undefined || conditions?.[index] === undefined) {
    throw new RangeError(`strategyGrid: the path ${path.slice(0, 64)} does not exist in the strategy`)
  }
  const changedConditions = conditions.map((condition, i): Condition =>
    i === index ? { ...condition, [part]: value } : condition
  )
  return list === "entry" ? { ...strategy, entry: changedConditions } : { ...strategy, exit: changedConditions }
}

/**
 * Returns the variants of a strategy over ranges of its parameters.
 *
 * Method: the Cartesian product of the ranges. The value of the last path changes fastest in the returned list. Paths
 * have the format of {@link strategyWith}.
 * Source: grid search.
 *
 * @throws RangeError as {@link strategyWith}, for an empty range, or for more than `maxVariants` variants.
 * @example
 * import { strategyGrid } from "@tapeline/quant"
 * const strategy = { entry: [{ left: "rsi(14)", op: "lt" as const, right: 30 }] }
 * const variants = strategyGrid(strategy, { "entry.0.right": [20, 30], stop_atr: [1, 2] })
 * variants.map((v) => [v.strategy.entry[0].right, v.strategy.stop_atr]) // => [[20, 1], [20, 2], [30, 1], [30, 2]]
 */
export function strategyGrid(
  strategy: Strategy,
  ranges: Readonly<Record<string, ReadonlyArray<Operand>>>,
  maxVariants = 1000
): ReadonlyArray<{ readonly strategy: Strategy; readonly values: Readonly<Record<string, Operand>> }> {
  let variants: Array<{ strategy: Strategy; values: Record<string, Operand> }> = [{ strategy, values: {} }]
  for (const [path, values] of Object.entries(ranges)) {
    if (values.length === 0) throw new RangeError(`strategyGrid: the range of ${path} is empty`)
    if (variants.length * values.length > maxVariants) {
      throw new RangeError(`strategyGrid: more than ${maxVariants} variants; pass fewer values`)
    }
    variants = variants.flatMap((variant) =>
      values.map((value) => ({
        strategy: strategyWith(variant.strategy, path, value),
        values: { ...variant.values, [path]: value }
      }))
    )
  }
  return variants
}
