import { Schema } from "effect"
import { asOfArgument } from "../../engine/tool/argument.ts"
import { asOf, notes, nullableQuantity } from "../../engine/tool/result.ts"
import { fraction, percent } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

const makeChangeField = (hours: number, unit: string) =>
  nullableQuantity(`Change of open interest over ${hours} h in ${unit}, percent`, percent)

export const getDerivatives = specify({
  name: "get_derivatives",
  area: "derivatives",
  scope: "read:market",
  credits: 1,
  pure: true,
  summary:
    "A coin's perpetual now: funding and how extreme it is, open interest, taker buying. By hour: get_positioning_history.",
  parameters: Schema.Struct({ coin: CoinArgument, at: asOfArgument }),
  result: Schema.Struct({
    coin: Schema.String,
    funding_rate_pct: nullableQuantity(
      "Funding rate of the current interval, percent of notional; above 0, longs pay",
      fraction
    ),
    funding_venue: Schema.NullOr(Schema.String).annotate({
      description:
        "Venue of funding_rate_pct, long_short_ratio and both prices, and of the payments of the comparison unless a note names others; other venues: get_funding_comparison"
    }),
    funding_interval_hours: nullableQuantity("Length of this interval"),
    funding_annualised_pct: nullableQuantity(
      "funding_rate_pct * 24 / funding_interval_hours * 365, without compounding",
      percent
    ),
    funding_z: nullableQuantity(
      "Standard deviations above the mean of the previous 90 payments, as 8-hour rates; extreme beyond 2",
      fraction
    ),
    funding_z_n: Schema.Int.annotate({ description: "Number of payments in this sample, at most 90" }),
    funding_percentile_90d: nullableQuantity("Share of the payments of 90 days with a lower rate, percent", percent),
    funding_percentile_n: Schema.Int.annotate({ description: "Number of payments of these 90 days" }),
    open_interest: nullableQuantity("Coins, sum over open_interest_venues"),
    open_interest_venues: Schema.Array(Schema.String).annotate({
      description: "Venues of the open interest; empty if the source does not name them"
    }),
    open_interest_usd: nullableQuantity("Open interest in USD at the mark price"),
    oi_change_1h_coin_pct: makeChangeField(1, "coins"),
    oi_change_1h_usd_pct: makeChangeField(1, "USD, which also depends on the price"),
    oi_change_24h_coin_pct: makeChangeField(24, "coins"),
    oi_change_24h_usd_pct: makeChangeField(24, "USD, which also depends on the price"),
    taker_buy_ratio: nullableQuantity(
      "Share of taker buying in the taker volume of the hour before as_of, 0 to 1",
      fraction
    ),
    taker_buy_usd: nullableQuantity("Bought by takers in this hour"),
    taker_sell_usd: nullableQuantity("Sold by takers in this hour"),
    taker_venues: Schema.Array(Schema.String).annotate({
      description: "Venues of the taker fields; empty if the fields are null or the source does not name its venue"
    }),
    long_short_ratio: nullableQuantity("Number of long accounts over short accounts, on funding_venue", fraction),
    mark_price: nullableQuantity("Mark price of the perpetual on funding_venue, USD"),
    index_price: nullableQuantity("Spot index of this perpetual, USD"),
    notes,
    ...provenance,
    as_of: asOf("Time of the perpetual's record")
  }),
  example: { coin: "BTC" }
})
