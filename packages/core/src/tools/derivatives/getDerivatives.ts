import { Schema } from "effect"
import { asOfArgument } from "../../engine/tool/argument.ts"
import { asOf, notes, nullableQuantity } from "../../engine/tool/result.ts"
import { fraction, percent } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

const makeChangeField = (hours: number, unit: string) =>
  nullableQuantity(`Open interest now over ${hours} h ago, in ${unit}, percent`, percent)

export const getDerivatives = specify({
  name: "get_derivatives",
  area: "derivatives",
  scope: "read:market",
  credits: 1,
  summary:
    "A coin's perpetual now: funding and how stretched, open interest, taker buying. By hour: get_positioning_history.",
  parameters: Schema.Struct({ coin: CoinArgument, at: asOfArgument }),
  result: Schema.Struct({
    coin: Schema.String,
    funding_rate_pct: nullableQuantity("Of the running interval, percent of notional; above 0 longs pay", fraction),
    funding_venue: Schema.NullOr(Schema.String).annotate({
      description:
        "Venue of funding_rate_pct, of long_short_ratio, of both prices and, unless a note names others, of the payments that the rate is compared with; other venues: get_funding_comparison"
    }),
    funding_interval_hours: nullableQuantity("Length of that interval"),
    funding_annualised_pct: nullableQuantity(
      "funding_rate_pct * 24 / funding_interval_hours * 365, without compounding",
      percent
    ),
    funding_z: nullableQuantity(
      "Standard deviations above the mean of the 90 payments before, as rates of 8 hours; beyond 2 is stretched",
      fraction
    ),
    funding_z_n: Schema.Int.annotate({ description: "Payments in that sample, at most 90" }),
    funding_percentile_90d: nullableQuantity("Share of the payments of 90 days that were lower, percent", percent),
    funding_percentile_n: Schema.Int.annotate({ description: "Payments of those 90 days" }),
    open_interest: nullableQuantity("Coins, sum of open_interest_venues"),
    open_interest_venues: Schema.Array(Schema.String).annotate({ description: "Empty: not named by the source" }),
    open_interest_usd: nullableQuantity("The same in USD at the mark price"),
    oi_change_1h_coin_pct: makeChangeField(1, "coins"),
    oi_change_1h_usd_pct: makeChangeField(1, "USD, which moves with price too"),
    oi_change_24h_coin_pct: makeChangeField(24, "coins"),
    oi_change_24h_usd_pct: makeChangeField(24, "USD, which moves with price too"),
    taker_buy_ratio: nullableQuantity(
      "Takers' buying over buying and selling in the hour up to as_of, 0 to 1",
      fraction
    ),
    taker_buy_usd: nullableQuantity("Bought by takers in that hour"),
    taker_sell_usd: nullableQuantity("Sold by takers in that hour"),
    taker_venues: Schema.Array(Schema.String).annotate({
      description: "Venues of the taker fields. Empty: the fields are null, or the source does not name its venue"
    }),
    long_short_ratio: nullableQuantity("Accounts long over accounts short, on funding_venue", fraction),
    mark_price: nullableQuantity("Of the perpetual on funding_venue, USD"),
    index_price: nullableQuantity("Spot index that this perpetual follows, USD"),
    notes,
    ...provenance,
    as_of: asOf("Time of the perpetual's record")
  }),
  example: { coin: "BTC" }
})
