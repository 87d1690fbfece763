import { Schema } from "effect"
import { asOfArgument } from "../../engine/tool/argument.ts"
import { Instant, notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { percent, roundToDecimals } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

const usd = roundToDecimals(0)

export const getOnchain = specify({
  name: "get_onchain",
  area: "onchain",
  scope: "read:market",
  credits: 1,
  pure: true,
  summary: "DEX buying and selling of a coin over 24 hours. Flows into exchanges: get_whale_transfers.",
  parameters: Schema.Struct({ coin: CoinArgument, at: asOfArgument }),
  result: Schema.Struct({
    coin: Schema.String,
    until: Instant.annotate({ description: "End of the 24 hours, a multiple of five minutes" }),
    dex_volume_24h_usd: quantity("Volume, bought and sold, USD", usd),
    buy_usd: quantity("Bought by takers, USD", usd),
    sell_usd: quantity("Sold by takers, USD", usd),
    buy_share_pct: nullableQuantity("buy_usd / dex_volume_24h_usd, percent; null without trades", percent),
    net_flow_usd: quantity("buy_usd minus sell_usd", usd),
    trades: Schema.Int.annotate({ description: "Number of trades" }),
    mean_trade_usd: nullableQuantity("dex_volume_24h_usd / trades; null without trades", roundToDecimals(2)),
    prior_24h: Schema.Struct({
      dex_volume_usd: nullableQuantity("Volume, bought and sold, USD; null if not recorded", usd),
      net_flow_usd: nullableQuantity("Bought minus sold, USD; null if dex_volume_usd is null", usd)
    }).annotate({ description: "The previous 24 hours" }),
    volume_change_pct: nullableQuantity(
      "Change of the volume from the previous 24 hours, percent; null if either day was not recorded completely",
      percent
    ),
    by_hour: Schema.Array(Schema.Struct({
      time: Instant.annotate({ description: "Start of a 60-minute part" }),
      buy_usd: quantity("USD", usd),
      sell_usd: quantity("USD", usd)
    })).annotate({ description: "The 24 hours by hour, oldest first; the parts add up to buy_usd and sell_usd" }),
    notes,
    ...provenance
  }),
  example: { coin: "PEPE" }
})
