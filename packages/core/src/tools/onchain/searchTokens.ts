import { Schema } from "effect"
import { topArgument } from "../../engine/tool/argument.ts"
import { notes, nullableQuantity } from "../../engine/tool/result.ts"
import { specify } from "../../engine/tool/specification.ts"
import { provenance } from "../../market/provenance.ts"
import { query } from "./arguments.ts"
import { Chain, UntrustedName } from "./fields.ts"

export const searchTokens = specify({
  name: "search_tokens",
  area: "onchain",
  scope: "read:market",
  credits: 5,
  summary: "Tokens on all chains by name, ticker or address, impostors included, most liquid first.",
  parameters: Schema.Struct({ query, top: topArgument }),
  result: Schema.Struct({
    tokens: Schema.Array(Schema.Struct({
      name: UntrustedName,
      coin: UntrustedName.annotate({ description: "Ticker as the token claims it; several may claim one" }),
      listed: Schema.Boolean.annotate({
        description: "Whether it is the listed coin of that ticker itself; if not, mind impostors"
      }),
      chain: Chain,
      address: Schema.String.annotate({ description: "Contract; `native` for a chain's own coin" }),
      liquidity_usd: nullableQuantity("Over the pools that the search found, USD; null where none tells")
    })),
    truncated: Schema.Boolean.annotate({ description: "Whether more match than are shown" }),
    notes,
    ...provenance
  }),
  example: { query: "pepe", top: 5 }
})
