import { Schema } from "effect"
import { integerBetween, withDefault } from "../../engine/tool/argument.ts"
import { notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { percent, roundToDecimals } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { provenance } from "../../market/provenance.ts"

const usd = roundToDecimals(0)
const descriptions = {
  change: "Current supply minus earlier supply (minted minus burned), USD",
  net: "Transfers into exchanges minus transfers out, USD; null if no source labels wallets"
}

export const getStablecoinFlows = specify({
  name: "get_stablecoin_flows",
  area: "onchain",
  scope: "read:market",
  credits: 5,
  summary: "Stablecoins minted and burned, and their flow into exchanges.",
  parameters: Schema.Struct({ days: withDefault(integerBetween(1, 90), 7) }),
  result: Schema.Struct({
    days: Schema.Int,
    coins: Schema.Array(Schema.Struct({
      coin: Schema.String,
      supply_usd: quantity("Current supply at par, USD", usd),
      change_usd: quantity(descriptions.change, usd),
      change_pct: nullableQuantity(
        "change_usd relative to the earlier supply, percent; null if the earlier supply was 0",
        percent
      ),
      exchange_net_usd: nullableQuantity(descriptions.net, usd)
    })).annotate({ description: "Largest first" }),
    supply_usd: quantity("Total supply of all listed stablecoins, USD", usd),
    change_usd: quantity(descriptions.change, usd),
    change_pct: nullableQuantity(
      "change_usd relative to the earlier supply, percent; null if the earlier supply was 0",
      percent
    ),
    exchange_net_usd: nullableQuantity(descriptions.net, usd),
    notes,
    ...provenance
  }),
  example: { days: 7 }
})
