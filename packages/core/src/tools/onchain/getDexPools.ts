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
      address: Schema.String.annotate({ description: "Address of the pool" }),
      pair: UntrustedName.annotate({ description: "Such as PEPE/WETH" }),
      liquidity_usd: nullableQuantity("USD; null if not reported"),
      volume_24h_usd: nullableQuantity("24-hour volume, USD; null if not reported"),
      fee_pct: nullableQuantity("Fee per trade, percent; null if not reported", percent),
      turnover: nullableQuantity("volume_24h_usd / liquidity_usd; null if either is null", percent)
    })),
    liquidity_usd: nullableQuantity("Sum of the known values of the listed pools, USD; null if none is known"),
    volume_24h_usd: nullableQuantity("Sum of the known values of the listed pools, USD; null if none is known"),
    truncated: Schema.Boolean.annotate({ description: "Whether more pools exist than are listed" }),
    notes,
    ...provenance
  }),
  example: { coin: "PEPE" }
})
