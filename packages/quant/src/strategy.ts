// The language of strategies: what their texts and paths mean. It computes nothing, so that a browser may load it.
export { strategyGrid, strategyWith } from "./backtest/grid.ts"
export {
  longestPeriod,
  type Operand,
  type OperandCall,
  type OperandName,
  parseOperand
} from "./backtest/operandText.ts"
