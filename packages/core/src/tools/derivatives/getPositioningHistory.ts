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
  summary:
    "Funding, open interest, taker buying of a perpetual by hour. Options: get_options_positioning; yours: get_positions.",
  parameters: Schema.Struct({ coin: CoinArgument, hours: hoursArgument, at: asOfArgument }),
  result: Schema.Struct({
    coin: Schema.String,
    points: Schema.Array(Schema.Struct({
      time: Instant.annotate({ description: "Full hour; the last one is get_derivatives at that instant" }),
      funding_rate_pct: nullableQuantity("Of the interval that runs then, percent of notional", fraction),
      funding_interval_hours: nullableQuantity("Length of that interval"),
      open_interest: nullableQuantity("Coins"),
      open_interest_usd: nullableQuantity("USD at the mark price"),
      taker_buy_ratio: nullableQuantity(
        "Takers' buying over buying and selling in the hour up to then, 0 to 1",
        fraction
      ),
      long_short_ratio: nullableQuantity("Accounts long over accounts short", fraction)
    })),
    gaps: GapRows,
    notes,
    ...provenance
  }),
  example: { coin: "BTC", hours: 48 }
})
