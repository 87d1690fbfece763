import { Schema } from "effect"
import { noArguments } from "../../engine/tool/argument.ts"
import { notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { percent } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { provenance } from "../../market/provenance.ts"

export const getDominance = specify({
  name: "get_dominance",
  area: "crypto",
  scope: "read:market",
  credits: 1,
  summary: "Shares of BTC, ETH and stablecoins in crypto's capitalisation, and an altseason index.",
  parameters: noArguments,
  result: Schema.Struct({
    btc_pct: nullableQuantity("Of total_cap_usd, percent", percent),
    eth_pct: nullableQuantity("Of total_cap_usd, percent", percent),
    stable_pct: nullableQuantity("Tracked stablecoins, of total_cap_usd, percent", percent),
    other_pct: nullableQuantity("The rest, percent; the four add up to 100", percent),
    altseason_index: nullableQuantity(
      "Share of the 50 largest tracked coins but BTC and stablecoins that beat BTC over 90 days, percent; 75 and more is an altseason",
      percent
    ),
    altseason_n: Schema.Int.annotate({ description: "Coins with a price of 90 days ago that it counts" }),
    total_cap_usd: quantity("Of the whole market, coins that are not tracked included, USD"),
    volume_24h_usd: nullableQuantity("Traded in the whole market over 24 hours, USD"),
    notes,
    ...provenance
  }),
  example: {}
})
