import { Schema } from "effect"
import { CoinArgument, top } from "../../tool/argument.ts"
import { maybe, notes, provenance, quantity } from "../../tool/result.ts"
import { percent } from "../../tool/rounding.ts"
import { specify } from "../../tool/specification.ts"
import { Called, Chain } from "./fields.ts"

export const getDexPools = specify({
  name: "get_dex_pools",
  area: "onchain",
  scope: "read:market",
  credits: 5,
  summary: "DEX pools of a coin: pair, liquidity, volume, fee.",
  parameters: Schema.Struct({ coin: CoinArgument, top }),
  result: Schema.Struct({
    coin: Schema.String,
    pools: Schema.Array(Schema.Struct({
      dex: Schema.String,
      chain: Chain,
      address: Schema.String.annotate({ description: "Of the pool" }),
      pair: Called.annotate({ description: "Such as PEPE/WETH" }),
      liquidity_usd: quantity("USD"),
      volume_24h_usd: quantity("Traded over 24 hours, USD"),
      fee_pct: quantity("Of each trade, percent", percent),
      turnover: maybe("volume_24h_usd over liquidity_usd; null without liquidity", percent)
    })),
    liquidity_usd: quantity("Of the pools shown, USD"),
    volume_24h_usd: quantity("Of the pools shown, USD"),
    truncated: Schema.Boolean.annotate({ description: "Whether there are more than are shown" }),
    notes,
    ...provenance
  }),
  example: { coin: "PEPE" }
})
