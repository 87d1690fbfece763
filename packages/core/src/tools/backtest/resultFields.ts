import { Schema } from "effect"
import type { BacktestReading } from "../../analysis/backtest/readMarket.ts"
import type { Costs, Summary } from "../../analysis/backtest/window.ts"
import { formatInstant, Instant, notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { fraction, percent } from "../../engine/tool/rounding.ts"
import { provenance } from "../../market/provenance.ts"
import { backtestLengths } from "./arguments.ts"

export const metrics = {
  return: quantity("Return of the whole window, as a fraction: 0.1 is 10 %", fraction),
  cagr: nullableQuantity("Growth per year, as a fraction; null if the window is too short", fraction),
  sharpe: nullableQuantity(
    "Mean over standard deviation of bar returns, annualised by 365 days; null if the equity did not change",
    fraction
  ),
  sortino: nullableQuantity("Mean over downside deviation of bar returns, annualised; null if no bar lost", fraction),
  calmar: nullableQuantity("cagr over the maximum drawdown; null if either is missing", fraction),
  max_drawdown_pct: quantity(
    "Largest fall of the equity from a high, measured at each bar, percent, at most 0",
    percent
  ),
  win_rate: nullableQuantity("Share of profitable trades, 0 to 1; null without trades", fraction),
  profit_factor: nullableQuantity("Sum of profits over sum of losses; null without a loss", fraction),
  exposure_pct: quantity("Share of the bars with an open position, percent", percent),
  trades: Schema.Int,
  average_trade: nullableQuantity("Mean return per trade, as a fraction; null without trades", fraction)
}

export const toMetrics = (summary: Summary) => ({
  return: summary.totalReturn,
  cagr: summary.cagr,
  sharpe: summary.sharpe,
  sortino: summary.sortino,
  calmar: summary.calmar,
  max_drawdown_pct: 100 * summary.maxDrawdown,
  win_rate: summary.winRate,
  profit_factor: summary.profitFactor,
  exposure_pct: 100 * summary.exposure,
  trades: summary.trades,
  average_trade: summary.averageReturn
})

export const buyAndHold = Schema.Struct(metrics).annotate({
  description: "Buy and hold: long from the second bar's open to the end, with the same costs and funding"
})

export const backtestFields = {
  coin: Schema.String,
  tf: Schema.Literals(backtestLengths),
  from: Instant.annotate({ description: "Opening instant of the first bar" }),
  to: Instant.annotate({ description: "End of the last bar" }),
  bars: Schema.Int.annotate({ description: "Bars of the backtest; up to 1,000 earlier bars warm up the indicators" }),
  fee_bps: quantity("Basis points per side"),
  slippage_bps: quantity("Basis points per side")
}

export const toBacktestFields = (
  { bars, closed, coin, from, to }: BacktestReading,
  { feeBps, slippageBps }: Costs
) => ({
  coin,
  // The cast is safe, because the arguments allow only the listed timeframes.
  tf: closed.tf as typeof backtestLengths[number],
  from: formatInstant(from),
  to: formatInstant(to),
  bars,
  fee_bps: feeBps,
  slippage_bps: slippageBps
})

export const warnings = Schema.Array(Schema.String).annotate({ description: "Reasons to distrust the numbers" })

export const commonFields = { warnings, notes, ...provenance }

export const makeDeflatedField = (description: string) => nullableQuantity(description, fraction)
