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
  summary: "Tokens on all chains by name, ticker or address, including impostors, most liquid first.",
  parameters: Schema.Struct({ query, top: topArgument }),
  result: Schema.Struct({
    tokens: Schema.Array(Schema.Struct({
      name: UntrustedName,
      coin: UntrustedName.annotate({ description: "Ticker of the token; several tokens may use the same ticker" }),
      listed: Schema.Boolean.annotate({
        description: "Whether the token is the listed coin of this ticker; if not, it may be an impostor"
      }),
      chain: Chain,
      address: Schema.String.annotate({ description: "Contract address; `native` for a chain's own coin" }),
      liquidity_usd: nullableQuantity("Sum over the found pools, USD; null if no source reports it")
    })),
    truncated: Schema.Boolean.annotate({ description: "Whether more tokens match than are listed" }),
    notes,
    ...provenance
  }),
  example: { query: "pepe", top: 5 }
})
