/** Warnings about parameters that were chosen fold by fold. */
import { counted } from "../../engine/text/counted.ts"
import type { Summary } from "./run.ts"
import type { Range } from "./strategy.ts"
import { fewTrades } from "./warnings.ts"

export interface ChosenFold {
  /** The chosen values, in the order of the ranges. */
  readonly values: ReadonlyArray<number | string>
  /** The number of combinations that traded in training. */
  readonly traded: number
  readonly train: { readonly sharpe: number | null }
  readonly test: { readonly bars: number; readonly trades: number }
}

/** A test window with fewer bars is too short to be meaningful. */
const fewBars = 100

/** Whether a value is at an end of a numeric range that has at least one value between its ends. */
const isAtEdge = ({ values }: Range, chosen: number | string): boolean => {
  const numbers = values.filter((value) => typeof value === "number")
  return numbers.length === values.length && new Set(numbers).size > 2 &&
    (chosen === Math.min(...numbers) || chosen === Math.max(...numbers))
}

const edgeWarnings = (folds: ReadonlyArray<ChosenFold>, ranges: ReadonlyArray<Range>): ReadonlyArray<string> =>
  ranges.flatMap((range, i) => {
    const edge = folds.filter(({ traded, values }) => traded > 0 && isAtEdge(range, values[i]!)).length
    return 2 * edge < folds.length
      ? []
      : [`${range.path} was chosen at the edge of its range in ${edge} of ${folds.length} folds: widen it.`]
  })

export const foldWarnings = (
  folds: ReadonlyArray<ChosenFold>,
  ranges: ReadonlyArray<Range>,
  outOfSample: Summary,
  isRuined: boolean
): ReadonlyArray<string> => {
  const idle = folds.filter(({ traded }) => traded === 0).length
  const still = folds.filter(({ test }) => test.trades === 0).length
  const losing = folds.filter(({ train: { sharpe } }) => sharpe !== null && sharpe <= 0).length
  const kinds = new Set(folds.map(({ values }) => JSON.stringify(values))).size
  const bars = folds[0]?.test.bars ?? 0
  return [
    ...outOfSample.trades < fewTrades
      ? [
        `Only ${
          counted(outOfSample.trades, "trade")
        } out of sample: below ${fewTrades} rates and ratios are mostly chance.`
      ]
      : [],
    ...bars < fewBars ? [`A test window is ${counted(bars, "bar")}: give more bars, or fewer folds.`] : [],
    ...idle > 0
      ? [`In ${idle} of ${folds.length} folds nothing traded in training: the first combination is taken.`]
      : [],
    ...losing > 0 ? [`In ${losing} of ${folds.length} folds even the best of training did not gain.`] : [],
    ...still > 0 ? [`In ${still} of ${folds.length} folds the chosen one did not trade in its test.`] : [],
    ...edgeWarnings(folds, ranges),
    ...kinds === folds.length && folds.length > 2 && ranges.some(({ values }) => values.length > 2)
      ? ["Every fold chose other values: what is best in one is not in the next."]
      : [],
    ...isRuined ? ["The equity was used up in a test window."] : []
  ]
}
