import { Schema } from "effect"
import { notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { percent } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

export const getPrice = specify({
  name: "get_price",
  area: "crypto",
  scope: "read:market",
  credits: 1,
  pure: true,
  summary: "Price of a coin now, 24-hour change, range, volume, and capitalisation. Earlier: get_price_at.",
  parameters: Schema.Struct({ coin: CoinArgument }),
  result: Schema.Struct({
    coin: Schema.String,
    price: quantity("USD"),
    change_24h_pct: nullableQuantity(
      "Change over 24 hours, percent; null if the price of 24 hours ago is unknown",
      percent
    ),
    volume_24h_usd: nullableQuantity("24-hour volume, USD; null if the 24 hours were not recorded completely"),
    market_cap_usd: nullableQuantity("Circulating supply times price, USD; null if the supply is unknown"),
    high_24h: nullableQuantity("Highest price of 24 hours, USD; null if they were not recorded completely"),
    low_24h: nullableQuantity("Lowest price of 24 hours, USD; null if they were not recorded completely"),
    notes,
    ...provenance
  }),
  example: { coin: "BTC" }
})
