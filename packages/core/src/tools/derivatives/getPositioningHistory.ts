import { Schema } from "effect"
import { asOfArgument, hoursArgument } from "../../engine/tool/argument.ts"
import { Instant, notes, nullableQuantity } from "../../engine/tool/result.ts"
import { fraction } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"
import { GapRows } from "../../market/resultRows.ts"

export const getPositioningHistory = specify({
  name: "get_positioning_history",
  area: "derivatives",
  scope: "read:market",
  credits: 1,
  pure: true,
  summary:
    "Funding, open interest, taker buying of a perpetual by hour. Options: get_options_positioning; yours: get_positions.",
  parameters: Schema.Struct({ coin: CoinArgument, hours: hoursArgument, at: asOfArgument }),
  result: Schema.Struct({
    coin: Schema.String,
    points: Schema.Array(Schema.Struct({
      time: Instant.annotate({ description: "Full hour; the last row equals get_derivatives at that time" }),
      funding_rate_pct: nullableQuantity("Funding rate of the interval at that time, percent of notional", fraction),
      funding_interval_hours: nullableQuantity("Length of this interval"),
      open_interest: nullableQuantity("Coins"),
      open_interest_usd: nullableQuantity("USD at the mark price"),
      taker_buy_ratio: nullableQuantity(
        "Share of taker buying in the taker volume of the previous hour, 0 to 1",
        fraction
      ),
      long_short_ratio: nullableQuantity("Number of long accounts over short accounts", fraction)
    })),
    gaps: GapRows,
    notes,
    ...provenance
  }),
  example: { coin: "BTC", hours: 48 }
})
