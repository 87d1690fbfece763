import { formatCount } from "../../engine/text/formatting.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { dayMs } from "../../market/timeframe.ts"
import type { BacktestReading } from "./readMarket.ts"
import { getOperandNames, type Range, type StrategyData } from "./strategy.ts"
import type { Costs, Run, Summary } from "./window.ts"

/** The minimum number of trades for meaningful rates and ratios. */
export const minMeaningfulTrades = 30

/** The number of days below which a backtest gets a warning that its period is short. */
const minMeaningfulDays = 90

/** The delay of the first recorded funding payment, in ms, above which a backtest gets a warning. */
const maxFundingDelayMs = 2 * dayMs

const fundingWarning = ({ coin, from, fundingFrom }: BacktestReading): ReadonlyArray<string> =>
  fundingFrom === null
    ? [`No funding of ${coin} is recorded, so no funding is charged.`]
    : fundingFrom - from > maxFundingDelayMs
    ? [`Funding is recorded from ${formatInstant(fundingFrom)}; before, no funding is charged.`]
    : []

const operandLabels = { funding: "Funding", open_interest: "Open interest", score: "The score" } as const

export const marketWarnings = (read: BacktestReading, requestedBars: number, costs: Costs): ReadonlyArray<string> => {
  const { bars, closed, from, missingBars, to, unknownOperands } = read
  const days = (to - from) / dayMs
  return [
    ...bars + missingBars < requestedBars
      ? [`Only ${bars} of ${formatCount(requestedBars, "bar")} exist: the history of the coin begins later.`]
      : [],
    ...missingBars > 0
      ? [
        `${
          formatCount(missingBars, "bar")
        } not recorded: indicators skip them, positions stay open, and the price moves within them ` +
        "appear at the next open."
      ]
      : [],
    ...days < minMeaningfulDays
      ? [
        `The window is ${Math.floor(days)} days, which may cover only one kind of market; annualised numbers are rough.`
      ]
      : [],
    ...closed.delistedAt === null ? [] : [`${read.coin} stopped trading at ${formatInstant(closed.delistedAt)}.`],
    ...closed.isLate ? [`No candle after ${formatInstant(to)} is recorded.`] : [],
    ...fundingWarning(read),
    ...unknownOperands.map(({ bars: n, operand }) =>
      `${operandLabels[operand]} is unknown at ${n} of ${formatCount(bars, "close")}: conditions on it are false there.`
    ),
    ...costs.feeBps + costs.slippageBps === 0 ? ["No fees and no slippage are charged, so the result is too good."] : []
  ]
}

export const strategyWarnings = (
  strategy: StrategyData,
  tf: string
): ReadonlyArray<string> => {
  const { exit, max_bars, side, stop_atr, take_atr } = strategy
  return [
    ...exit.length === 0 && (side === "both" || (max_bars ?? stop_atr ?? take_atr) === undefined)
      ? [
        side === "both"
          ? "Without exit conditions no short is opened, and only stop_atr, take_atr or max_bars closes a long."
          : "Without exit, stop_atr, take_atr and max_bars, a position is held until the end."
      ]
      : [],
    ...tf === "1d" && getOperandNames([strategy]).has("vwap")
      ? ["vwap restarts every UTC day: on 1d candles it is (high + low + close) / 3 of each candle."]
      : []
  ]
}

const tradeWarning = ({ trades }: Summary): ReadonlyArray<string> =>
  trades >= minMeaningfulTrades
    ? []
    : [
      trades === 0
        ? "It never traded."
        : `Only ${
          formatCount(trades, "trade")
        }: with fewer than ${minMeaningfulTrades}, rates and ratios are mostly chance.`
    ]

export const runWarnings = ({ summary, diagnostics }: Run): ReadonlyArray<string> => {
  const { bestTradeReturn, conditionCounts, isOpen, isRuined } = diagnostics
  const neverTrue = (["entry", "exit"] as const).flatMap((list) =>
    conditionCounts[list].flatMap((bars, i) => bars === 0 ? [`${list}.${i}`] : [])
  )
  return [
    ...tradeWarning(summary),
    ...neverTrue.length === 0 ? [] : [`Never true: ${neverTrue.join(", ")}.`],
    ...bestTradeReturn !== null && summary.trades > 1 && summary.totalReturn > 0 &&
        (1 + summary.totalReturn) / (1 + bestTradeReturn) <= 1
      ? ["Without the best trade, the strategy would not have made a profit."]
      : [],
    ...isRuined ? ["The equity was lost, and trading ended."] : [],
    ...isOpen ? ["The last position was still open, and is closed at the last close."] : []
  ]
}

export const nullNotes = (summary: Summary): ReadonlyArray<string> => {
  const reasons: ReadonlyArray<readonly [string, number | null, string]> = [
    ["cagr", summary.cagr, "a year of this growth exceeds every number"],
    ["sharpe", summary.sharpe, "the equity did not change"],
    ["sortino", summary.sortino, "no bar lost"],
    ["calmar", summary.calmar, summary.maxDrawdown === 0 ? "no drawdown" : "no cagr"],
    ["win_rate", summary.winRate, "no trade"],
    ["profit_factor", summary.profitFactor, summary.trades === 0 ? "no trade" : "no trade lost"],
    ["average_trade", summary.averageReturn, "no trade"]
  ]
  const nullFields = reasons.flatMap(([name, value, why]) => value === null ? [`${name} (${why})`] : [])
  return nullFields.length === 0 ? [] : [`Null: ${nullFields.join(", ")}.`]
}

export const prefixWarnings = (label: string, warnings: ReadonlyArray<string>): ReadonlyArray<string> =>
  warnings.map((warning) => `${label}: ${warning}`)

export interface ChosenFold {
  /** The parameter values that were chosen in the fold's training, in the order of the parameter ranges. */
  readonly values: ReadonlyArray<number | string>
  readonly traded: number
  readonly train: { readonly sharpe: number | null }
  readonly test: { readonly bars: number; readonly trades: number }
}

const minTestBars = 100

/** Returns whether a value is the minimum or maximum of a numeric range with at least three different values. */
const isAtEdge = ({ values }: Range, chosen: number | string): boolean => {
  const numbers = values.filter((value) => typeof value === "number")
  return numbers.length === values.length && new Set(numbers).size > 2 &&
    (chosen === Math.min(...numbers) || chosen === Math.max(...numbers))
}

const edgeWarnings = (folds: ReadonlyArray<ChosenFold>, ranges: ReadonlyArray<Range>): ReadonlyArray<string> =>
  ranges.flatMap((range, i) => {
    const edgeFolds = folds.filter(({ traded, values }) => traded > 0 && isAtEdge(range, values[i]!)).length
    return 2 * edgeFolds < folds.length
      ? []
      : [`${range.path} was chosen at the edge of its range in ${edgeFolds} of ${folds.length} folds: widen the range.`]
  })

export const foldWarnings = (
  folds: ReadonlyArray<ChosenFold>,
  ranges: ReadonlyArray<Range>,
  outOfSample: Summary,
  isRuined: boolean
): ReadonlyArray<string> => {
  const foldsWithoutTrainingTrades = folds.filter(({ traded }) => traded === 0).length
  const foldsWithoutTestTrades = folds.filter(({ test }) => test.trades === 0).length
  const losingFolds = folds.filter(({ train: { sharpe } }) => sharpe !== null && sharpe <= 0).length
  const distinctChoices = new Set(folds.map(({ values }) => JSON.stringify(values))).size
  const bars = folds[0]?.test.bars ?? 0
  return [
    ...outOfSample.trades < minMeaningfulTrades
      ? [
        `Only ${
          formatCount(outOfSample.trades, "trade")
        } out of sample: with fewer than ${minMeaningfulTrades}, rates and ratios are mostly chance.`
      ]
      : [],
    ...bars < minTestBars ? [`A test window has only ${formatCount(bars, "bar")}: pass more bars or fewer folds.`] : [],
    ...foldsWithoutTrainingTrades > 0
      ? [
        `In ${foldsWithoutTrainingTrades} of ${folds.length} folds no combination traded in training, so the first one was chosen.`
      ]
      : [],
    ...losingFolds > 0
      ? [`In ${losingFolds} of ${folds.length} folds even the best combination made no profit in training.`]
      : [],
    ...foldsWithoutTestTrades > 0
      ? [`In ${foldsWithoutTestTrades} of ${folds.length} folds the chosen combination did not trade in its test.`]
      : [],
    ...edgeWarnings(folds, ranges),
    ...distinctChoices === folds.length && folds.length > 2 && ranges.some(({ values }) => values.length > 2)
      ? ["Every fold chose different values: the best values of one fold were not the best in the next."]
      : [],
    ...isRuined ? ["The equity was lost in a test window."] : []
  ]
}
