// The operand syntax and the variants of strategies. The module computes nothing, so that a browser can load it.
export { maxPeriod, type Operand, type OperandCall, type OperandName, parseOperand } from "./backtest/operandSyntax.ts"
export { strategyGrid, strategyWith } from "./backtest/variants.ts"
