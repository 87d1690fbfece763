import { checkFiniteSeries, checkPositive, type Series } from "../check.ts"
import { cagr, calmar, maxDrawdown, profitFactor, sharpe, sortino, winRate } from "../performance/metrics.ts"
import { backtest, type BacktestBars, type BacktestOptions, type BacktestResult, type BacktestTrade } from "./engine.ts"

/**
 * Returns the per-bar returns of an equity curve that started at 1.
 *
 * Formula: `out[i] = equity[i] / equity[i - 1] - 1`, where the equity before the first bar is 1. Unit: 0.01 = 1 %.
 * After equity has reached 0, returns are 0.
 * Source: definition of a simple return.
 *
 * @throws RangeError when a value is not finite or is negative.
 * @example
 * import { equityReturns } from "@tapeline/quant"
 * equityReturns([1.1, 0.99, 0, 0]) // => [0.1, -0.1, -1, 0]
 */
export function equityReturns(equity: Series): Float64Array {
  checkFiniteSeries("equityReturns", "equity", equity)
  const out = new Float64Array(equity.length)
  let previous = 1
  for (let i = 0; i < out.length; i++) {
    const value = equity[i]!
    if (value < 0) throw new RangeError(`equityReturns: equity[${i}] is ${value}; equity is not negative`)
    out[i] = previous > 0 ? value / previous - 1 : 0
    previous = value
  }
  return out
}

/** The input of {@link summarise}. */
export interface SummarisedBacktest extends Pick<BacktestResult, "equity" | "exposure"> {
  readonly trades: ReadonlyArray<Pick<BacktestTrade, "return">>
}

/** The result of {@link summarise}, in which an undefined ratio is null. */
export interface BacktestSummary {
  readonly totalReturn: number
  /** The annual growth rate, or null if the growth over one year exceeds the range of numbers. */
  readonly cagr: number | null
  readonly sharpe: number | null
  readonly sortino: number | null
  readonly calmar: number | null
  readonly maxDrawdown: number
  readonly winRate: number | null
  readonly profitFactor: number | null
  readonly averageReturn: number | null
  readonly trades: number
  readonly exposure: number
}

/**
 * Computes the metrics of a backtest: growth, ratios and drawdown from bars; win rate and profit factor from trades.
 *
 * Formula: each metric is computed by the function of the same name, from {@link equityReturns} or from the returns of
 * the trades. Unit: fractions.
 * Source: the sources of the functions for each metric.
 *
 * @throws RangeError when periodsPerYear is not above 0.
 * @example
 * import { backtest, summarise } from "@tapeline/quant"
 * const price = [10, 10, 11, 12]
 * const bars = { open: price, high: price, low: price, close: price }
 * const summary = summarise(backtest(bars, { enter: [1, 0, 0, 0] }, { feeBps: 0, slippageBps: 0 }), 365)
 * summary.totalReturn // => 0.2
 * summary.trades // => 1
 * summary.profitFactor // => null
 */
export function summarise(result: SummarisedBacktest, periodsPerYear: number): BacktestSummary {
  checkPositive("summarise", "periodsPerYear", periodsPerYear)
  const returns = equityReturns(result.equity)
  const perTrade = result.trades.map((trade) => trade.return)
  return {
    totalReturn: (result.equity.at(-1) ?? 1) - 1,
    cagr: cagr(returns, periodsPerYear),
    sharpe: sharpe(returns, periodsPerYear),
    sortino: sortino(returns, periodsPerYear),
    calmar: calmar(returns, periodsPerYear),
    maxDrawdown: maxDrawdown(returns),
    winRate: winRate(perTrade),
    profitFactor: profitFactor(perTrade),
    averageReturn: perTrade.length === 0 ? null : perTrade.reduce((sum, r) => sum + r, 0) / perTrade.length,
    trades: perTrade.length,
    exposure: result.exposure
  }
}

/**
 * Runs a backtest that buys at the open of the second bar and holds the position to the end.
 *
 * Formula: {@link backtest} with one long signal at the first close. Unit: the unit of {@link backtest}.
 * Source: {@link backtest}.
 *
 * @throws RangeError as {@link backtest}.
 * @example
 * import { buyAndHold } from "@tapeline/quant"
 * const price = [10, 10, 11, 12]
 * const bars = { open: price, high: price, low: price, close: price }
 * buyAndHold(bars, { feeBps: 0, slippageBps: 0 }).equity // => [1, 1, 1.1, 1.2]
 */
export function buyAndHold(bars: BacktestBars, options: BacktestOptions = {}): BacktestResult {
  const enter = new Int8Array(bars.close.length)
  if (enter.length > 0) enter[0] = 1
  return backtest(bars, { enter }, options)
}
