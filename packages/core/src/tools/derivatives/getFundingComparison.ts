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
  pure: true,
  summary: "Funding of a coin's perpetual by venue on one scale; the best venue for a long and for a short.",
  parameters: Schema.Struct({ coin: CoinArgument }),
  result: Schema.Struct({
    coin: Schema.String,
    venues: Schema.Array(Schema.Struct({
      venue: Schema.String,
      time: Instant.annotate({ description: "Time of the venue's report" }),
      funding_rate_pct: quantity("Rate per interval of this venue, percent of notional; above 0, longs pay", fraction),
      interval_hours: quantity("Hours between payments"),
      rate_8h_pct: quantity("funding_rate_pct * 8 / interval_hours", fraction),
      annualised_pct: quantity("funding_rate_pct * 24 / interval_hours * 365, without compounding", percent),
      next_time: Schema.NullOr(Instant).annotate({
        description: "Time of the next payment; null if funding is paid continuously"
      }),
      open_interest_usd: nullableQuantity("Open interest at this venue, USD")
    })).annotate({ description: "Highest annualised_pct first" }),
    long_venue: Schema.NullOr(Schema.String).annotate({
      description: "The venue where a long pays least or receives most"
    }),
    short_venue: Schema.NullOr(Schema.String).annotate({
      description: "The venue where a short receives most or pays least"
    }),
    spread_annualised_pct: nullableQuantity(
      "annualised_pct of short_venue minus that of long_venue, before fees and at unchanged rates",
      percent
    ),
    weighted_annualised_pct: nullableQuantity("Mean of annualised_pct weighted by open interest", percent),
    notes,
    ...provenance
  }),
  example: { coin: "BTC" }
})
