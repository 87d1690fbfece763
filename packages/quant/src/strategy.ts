// Exports only code that a browser needs to edit strategies, without any computation.
export { maxPeriod, type Operand, type OperandCall, type OperandName, parseOperand } from "./backtest/operandSyntax.ts"
export { strategyGrid, strategyWith } from "./backtest/variants.ts"
