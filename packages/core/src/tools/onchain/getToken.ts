import { Schema } from "effect"
import { notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { percent, roundToDecimals } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { provenance } from "../../market/provenance.ts"
import { tokenArguments } from "./arguments.ts"
import { Chain, UntrustedName } from "./fields.ts"

const dollars = roundToDecimals(0)

export const getToken = specify({
  name: "get_token",
  area: "onchain",
  scope: "read:market",
  credits: 5,
  summary: "A token's supply, FDV, holders and warnings, by coin or by address with chain (from search_tokens).",
  parameters: tokenArguments,
  result: Schema.Struct({
    coin: Schema.NullOr(Schema.String).annotate({
      description: "The listed coin that it is; null for any other token, whatever it calls itself"
    }),
    ticker: UntrustedName,
    name: UntrustedName,
    chain: Chain,
    address: Schema.String.annotate({ description: "Contract; `native` for a chain's own coin" }),
    price_usd: quantity("USD"),
    liquidity_usd: nullableQuantity("Over all pools that are known, USD; null where none tells"),
    supply: Schema.Struct({
      circulating: nullableQuantity("Units; null where nobody tells"),
      total: nullableQuantity("Units that exist; null where nobody tells"),
      max: nullableQuantity("Most units that can ever exist; null without a limit, or where nobody tells")
    }),
    market_cap_usd: nullableQuantity("price_usd times supply.circulating; null without it", dollars),
    fdv_usd: nullableQuantity(
      "price_usd times supply.max, without a limit supply.total; null where neither is known",
      dollars
    ),
    circulating_pct: nullableQuantity(
      "supply.circulating of supply.max, without a limit of supply.total, percent",
      percent
    ),
    holders: nullableQuantity("Wallets that hold it; null where no source counts them"),
    top10_share_pct: nullableQuantity(
      "Of the supply, held by the ten largest wallets that are no exchange's, percent; null where no source tells",
      percent
    ),
    flags: Schema.Array(Schema.String).annotate({
      description:
        "Warnings: mintable, freezable, concentrated (top10_share_pct above 40), low_liquidity (below 250,000 USD), young (below 60 days), impostor (borrows a listed coin's name)"
    }),
    unchecked: Schema.Array(Schema.String).annotate({
      description: "Warnings that no source tells of: not in flags, and still they may hold"
    }),
    notes,
    ...provenance
  }),
  example: { coin: "PEPE" }
})
