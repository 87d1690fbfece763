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
      description:
        "The listed coin to which the address belongs; null for other tokens, including tokens that only use the coin's name"
    }),
    ticker: UntrustedName,
    name: UntrustedName,
    chain: Chain,
    address: Schema.String.annotate({ description: "Contract address; `native` for a chain's own coin" }),
    price_usd: quantity("USD"),
    liquidity_usd: nullableQuantity("Sum over all known pools, USD; null if no source reports it"),
    supply: Schema.Struct({
      circulating: nullableQuantity("Units; null if no source reports it"),
      total: nullableQuantity("Existing units; null if no source reports it"),
      max: nullableQuantity("Maximum units that can ever exist; null without a limit, or if no source reports it")
    }),
    market_cap_usd: nullableQuantity("price_usd * supply.circulating; null without the supply", dollars),
    fdv_usd: nullableQuantity(
      "price_usd * supply.max, or supply.total without a maximum; null if both are unknown",
      dollars
    ),
    circulating_pct: nullableQuantity(
      "supply.circulating / supply.max, or supply.total without a maximum, percent",
      percent
    ),
    holders: nullableQuantity("Number of wallets that hold the token; null if no source counts them"),
    top10_share_pct: nullableQuantity(
      "Share of the supply held by the ten largest wallets, without exchanges, percent; null if no source reports it",
      percent
    ),
    flags: Schema.Array(Schema.String).annotate({
      description:
        "Warnings: mintable, freezable, concentrated (top10_share_pct above 40), low_liquidity (below 250,000 USD), young (below 60 days), impostor (uses a listed coin's name)"
    }),
    unchecked: Schema.Array(Schema.String).annotate({
      description: "Warnings that no source reports. They are not in flags, but may apply"
    }),
    notes,
    ...provenance
  }),
  example: { coin: "PEPE" }
})
