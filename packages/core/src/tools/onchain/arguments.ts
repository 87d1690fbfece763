import { Schema } from "effect"
import { optional } from "../../engine/tool/argument.ts"
import { CoinArgument } from "../../market/arguments.ts"

const address = Schema.String.annotate({ description: "Contract; needs chain" }).check(
  Schema.isPattern(/^[A-Za-z0-9:_.-]{3,128}$/u, {
    expected: "a contract address",
    expectedMessage: { key: "expected_address" }
  })
)

const chain = Schema.String.annotate({ description: "ethereum, solana" }).check(
  Schema.isPattern(/^[a-z0-9][a-z0-9_-]{0,31}$/u, {
    expected: "a chain's name in lower case",
    expectedMessage: { key: "expected_chain" }
  })
)

/** The arguments that name a token: a coin, or a contract address and its chain. */
export const tokenArguments = Schema.Struct({
  coin: optional(CoinArgument),
  address: optional(address),
  chain: optional(chain)
}).check(Schema.makeFilter(
  (token) =>
    (token.coin === undefined) !== (token.address === undefined && token.chain === undefined) &&
    (token.address === undefined) === (token.chain === undefined),
  {
    expected: "either coin, or address with chain",
    expectedMessage: { key: "expected_coin_or_address" }
  }
))

/** The text to search for, on one line. */
export const query = Schema.String.check(
  Schema.isBetweenLength(1, 64),
  Schema.isPattern(/^[^\p{Cc}]*[^\p{Cc}\s][^\p{Cc}]*$/u, {
    expected: "text of one line",
    expectedMessage: { key: "expected_name" }
  }),
  Schema.makeFilter((text) => text.isWellFormed(), {
    expected: "text of one line",
    expectedMessage: { key: "expected_name" }
  })
)
