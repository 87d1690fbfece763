import { specify } from "@tapeline/core"
import { barsArgument, notes, nullableQuantity, quantity, rounding } from "@tapeline/core/engine"
import { CoinArgument, provenance } from "@tapeline/core/market"
import { Schema } from "effect"

/** The specification of a tool, from which its catalogue entry, OpenAPI operation and types are derived. */
export const getRangeRank = specify({
  name: "get_range_rank",
  area: "crypto",
  scope: "read:market",
  credits: 1,
  summary: "Where the range of a coin's last closed day stands among those of the days before: 100 is the widest.",
  parameters: Schema.Struct({ coin: CoinArgument, bars: barsArgument }),
  result: Schema.Struct({
    coin: Schema.String,
    range_pct: quantity("High less low of the last closed day, percent of its open", rounding.percent),
    rank_pct: nullableQuantity(
      "Share of the days before it whose range was narrower, percent; null with fewer than 5 of them",
      rounding.percent
    ),
    notes,
    ...provenance
  }),
  example: { coin: "BTC", bars: 30 }
})
