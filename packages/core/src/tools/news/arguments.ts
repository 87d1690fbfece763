import { Schema } from "effect"
import { optional } from "../../engine/tool/argument.ts"
import { CoinArgument, SymbolArgument } from "../../market/arguments.ts"

/** The arguments for the instrument that the articles are about. */
export const instrumentArguments = { coin: optional(CoinArgument), symbol: optional(SymbolArgument) }

export const atMostOneInstrumentCheck = Schema.makeFilter<{ readonly coin?: string; readonly symbol?: string }>(
  ({ coin, symbol }) => coin === undefined || symbol === undefined,
  { expected: "coin or symbol, or neither", expectedMessage: { key: "expected_one_instrument" } }
)
