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
  summary: "DEX buying and selling of a coin over 24 hours. Flows into exchanges: get_whale_transfers.",
  parameters: Schema.Struct({ coin: CoinArgument, at: asOfArgument }),
  result: Schema.Struct({
    coin: Schema.String,
    until: Instant.annotate({ description: "End of the 24 hours: the last full five minutes" }),
    dex_volume_24h_usd: quantity("Bought and sold, USD", usd),
    buy_usd: quantity("Bought by takers, USD", usd),
    sell_usd: quantity("Sold by takers, USD", usd),
    buy_share_pct: nullableQuantity("buy_usd of dex_volume_24h_usd, percent; null without trades", percent),
    net_flow_usd: quantity("buy_usd less sell_usd", usd),
    trades: Schema.Int.annotate({ description: "Number of trades" }),
    mean_trade_usd: nullableQuantity("dex_volume_24h_usd over trades; null without trades", roundToDecimals(2)),
    prior_24h: Schema.Struct({
      dex_volume_usd: nullableQuantity("Bought and sold, USD; null where not recorded", usd),
      net_flow_usd: nullableQuantity("Bought less sold, USD; null with it", usd)
    }).annotate({ description: "The 24 hours before" }),
    volume_change_pct: nullableQuantity(
      "dex_volume_24h_usd over that of the 24 hours before, less 1, percent; null where either was not recorded whole",
      percent
    ),
    by_hour: Schema.Array(Schema.Struct({
      time: Instant.annotate({ description: "Start of sixty minutes" }),
      buy_usd: quantity("USD", usd),
      sell_usd: quantity("USD", usd)
    })).annotate({ description: "The 24 hours in parts, oldest first; they add up to buy_usd and sell_usd" }),
    notes,
    ...provenance
  }),
  example: { coin: "PEPE" }
})
