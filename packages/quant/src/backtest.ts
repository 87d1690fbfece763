export {
  backtest, fundingPerBar, type BacktestBars, type BacktestOptions, type BacktestResult, type BacktestSignals, type BacktestTrade,
  type ExitReason
} from "./backtest/engine.ts"
export {
  operandSeries, strategyGrid, strategySignals, type Condition, type Operand, type Strategy, type StrategyMarket
} from "./backtest/strategy.ts"
export { buyAndHold, equityReturns, summarise, type BacktestSummary } from "./backtest/summary.ts"
