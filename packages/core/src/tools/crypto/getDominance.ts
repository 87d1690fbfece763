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
  pure: true,
  summary: "Shares of BTC, ETH and stablecoins in crypto's capitalisation, and an altseason index.",
  parameters: noArguments,
  result: Schema.Struct({
    btc_pct: nullableQuantity("Share of total_cap_usd, percent", percent),
    eth_pct: nullableQuantity("Share of total_cap_usd, percent", percent),
    stable_pct: nullableQuantity("Share of the tracked stablecoins in total_cap_usd, percent", percent),
    other_pct: nullableQuantity("Share of all other coins, percent; the four shares add up to 100", percent),
    altseason_index: nullableQuantity(
      "Share of the 50 largest tracked coins, except BTC and stablecoins, that outperformed BTC over 90 days, percent; an altseason from 75",
      percent
    ),
    altseason_n: Schema.Int.annotate({ description: "Coins with a price of 90 days ago, which the index counts" }),
    total_cap_usd: quantity("Capitalisation of the whole market, including coins that are not tracked, USD"),
    volume_24h_usd: nullableQuantity("24-hour volume of the whole market, USD"),
    notes,
    ...provenance
  }),
  example: {}
})
