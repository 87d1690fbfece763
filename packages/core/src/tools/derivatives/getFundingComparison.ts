import { Schema } from "effect"
import { Instant, notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { fraction, percent } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

export const getFundingComparison = specify({
  name: "get_funding_comparison",
  area: "derivatives",
  scope: "read:market",
  credits: 1,
  summary: "Funding of a coin's perpetual by venue on one scale; where to be long and short.",
  parameters: Schema.Struct({ coin: CoinArgument }),
  result: Schema.Struct({
    coin: Schema.String,
    venues: Schema.Array(Schema.Struct({
      venue: Schema.String,
      time: Instant.annotate({ description: "When the venue told it" }),
      funding_rate_pct: quantity("Per interval of this venue, percent of notional; above 0 longs pay", fraction),
      interval_hours: quantity("Hours from payment to payment"),
      rate_8h_pct: quantity("funding_rate_pct * 8 / interval_hours", fraction),
      annualised_pct: quantity("funding_rate_pct * 24 / interval_hours * 365, without compounding", percent),
      next_time: Schema.NullOr(Instant).annotate({ description: "Next payment; null: it pays all the time" }),
      open_interest_usd: nullableQuantity("Open interest there, USD")
    })).annotate({ description: "Highest annualised_pct first" }),
    long_venue: Schema.NullOr(Schema.String).annotate({ description: "Where a long pays least, or is paid most" }),
    short_venue: Schema.NullOr(Schema.String).annotate({ description: "Where a short is paid most, or pays least" }),
    spread_annualised_pct: nullableQuantity(
      "annualised_pct of short_venue less that of long_venue, before fees and as long as rates stay",
      percent
    ),
    weighted_annualised_pct: nullableQuantity("Mean of annualised_pct weighted by open interest", percent),
    notes,
    ...provenance
  }),
  example: { coin: "BTC" }
})
