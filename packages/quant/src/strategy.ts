// The texts and paths of strategies. This module computes nothing, so that a browser can load it.
export { strategyGrid, strategyWith } from "./backtest/grid.ts"
export {
  longestPeriod,
  type Operand,
  type OperandCall,
  type OperandName,
  parseOperand
} from "./backtest/operandText.ts"
