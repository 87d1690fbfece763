export {
  backtest,
  type BacktestBars,
  type BacktestOptions,
  type BacktestResult,
  type BacktestSignals,
  type BacktestTrade,
  type ExitReason,
  fundingPerBar
} from "./backtest/engine.ts"
export {
  type Condition,
  type Operand,
  operandSeries,
  type Strategy,
  strategyGrid,
  type StrategyMarket,
  strategySignals
} from "./backtest/strategy.ts"
export { type BacktestSummary, buyAndHold, equityReturns, summarise } from "./backtest/summary.ts"
