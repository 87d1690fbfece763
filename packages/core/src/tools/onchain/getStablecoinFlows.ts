import { Schema } from "effect"
import { integerBetween, withDefault } from "../../engine/tool/argument.ts"
import { notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { percent, roundToDecimals } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { provenance } from "../../market/provenance.ts"

const usd = roundToDecimals(0)
const descriptions = {
  change: "Supply now less supply then, USD: minted less burned",
  net: "Transfers into exchanges less those out, USD; null where no source labels wallets"
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
      supply_usd: quantity("Supply now, at par, USD", usd),
      change_usd: quantity(descriptions.change, usd),
      change_pct: nullableQuantity("change_usd of the supply then, percent; null where there was none", percent),
      exchange_net_usd: nullableQuantity(descriptions.net, usd)
    })).annotate({ description: "Largest first" }),
    supply_usd: quantity("Of all of them, USD", usd),
    change_usd: quantity(descriptions.change, usd),
    change_pct: nullableQuantity("change_usd of the supply then, percent; null where there was none", percent),
    exchange_net_usd: nullableQuantity(descriptions.net, usd),
    notes,
    ...provenance
  }),
  example: { days: 7 }
})
