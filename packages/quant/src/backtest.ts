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
export { strategyGrid, strategyWith } from "./backtest/grid.ts"
export {
  longestPeriod,
  type Operand,
  type OperandCall,
  operandSeries,
  type OperandSource,
  operandSource,
  parseOperand,
  type StrategyMarket
} from "./backtest/operand.ts"
export { type Condition, conditionHolds, type Strategy, strategySignals } from "./backtest/strategy.ts"
export { type BacktestSummary, buyAndHold, equityReturns, summarise } from "./backtest/summary.ts"
