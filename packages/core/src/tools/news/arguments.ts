import { Schema } from "effect"
import { optional } from "../../engine/tool/argument.ts"
import { CoinArgument, SymbolArgument } from "../../market/arguments.ts"

/** What articles are to be about. */
export const aboutArguments = { coin: optional(CoinArgument), symbol: optional(SymbolArgument) }

/** That not both are named. */
export const oneInstrument = Schema.makeFilter<{ readonly coin?: string; readonly symbol?: string }>(
  ({ coin, symbol }) => coin === undefined || symbol === undefined,
  { expected: "coin or symbol, or neither", expectedMessage: { key: "expected_one_instrument" } }
)
