import { Schema } from "effect"
import { topArgument } from "../../engine/tool/argument.ts"
import { notes, nullableQuantity } from "../../engine/tool/result.ts"
import { percent } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"
import { Chain, UntrustedName } from "./fields.ts"

export const getDexPools = specify({
  name: "get_dex_pools",
  area: "onchain",
  scope: "read:market",
  credits: 5,
  summary: "DEX pools of a coin: pair, liquidity, volume, fee.",
  parameters: Schema.Struct({ coin: CoinArgument, top: topArgument }),
  result: Schema.Struct({
    coin: Schema.String,
    pools: Schema.Array(Schema.Struct({
      dex: Schema.String,
      chain: Chain,
      address: Schema.String.annotate({ description: "Of the pool" }),
      pair: UntrustedName.annotate({ description: "Such as PEPE/WETH" }),
      liquidity_usd: nullableQuantity("USD; null where not told"),
      volume_24h_usd: nullableQuantity("Traded over 24 hours, USD; null where not told"),
      fee_pct: nullableQuantity("Of each trade, percent; null where not told", percent),
      turnover: nullableQuantity("volume_24h_usd over liquidity_usd; null without either", percent)
    })),
    liquidity_usd: nullableQuantity("Of the pools shown that tell it, USD; null where none does"),
    volume_24h_usd: nullableQuantity("Of the pools shown that tell it, USD; null where none does"),
    truncated: Schema.Boolean.annotate({ description: "Whether there are more than are shown" }),
    notes,
    ...provenance
  }),
  example: { coin: "PEPE" }
})
