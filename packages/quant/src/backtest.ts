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
export { operandSeries, type OperandSource, operandSource, type StrategyMarket } from "./backtest/operand.ts"
export {
  type Condition,
  conditionHolds,
  type Strategy,
  type StrategySignals,
  strategySignals
} from "./backtest/strategy.ts"
export {
  type BacktestSummary,
  buyAndHold,
  equityReturns,
  summarise,
  type SummarisedBacktest
} from "./backtest/summary.ts"
export * from "./strategy.ts"
