import { Schema } from "effect"
import { biases } from "../../analysis/signals/vocabulary.ts"
import { notes, nullableQuantity } from "../../engine/tool/result.ts"
import { fraction, percent, points } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { coinsBetween } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

export const compareCoins = specify({
  name: "compare_coins",
  area: "crypto",
  scope: "read:market",
  credits: 1,
  pure: true,
  summary: "Compares coins: returns over 1, 7, 30 days, volatility, Sharpe, drawdown, score, funding.",
  parameters: Schema.Struct({ coins: coinsBetween(2, 10, "Tickers or names") }),
  result: Schema.Struct({
    rows: Schema.Array(Schema.Struct({
      coin: Schema.String,
      price: nullableQuantity("USD, newest"),
      return_1d_pct: nullableQuantity("Same as in get_price_at, percent", percent),
      return_7d_pct: nullableQuantity("Same as in get_price_at, percent", percent),
      return_30d_pct: nullableQuantity("Same as in get_price_at, percent", percent),
      realised_30d_pct: nullableQuantity("Same as in get_volatility, percent a year", percent),
      sharpe_90d: nullableQuantity("Mean over standard deviation of 90 daily returns, annualised", fraction),
      max_drawdown_90d_pct: nullableQuantity(
        "Largest fall of daily closes from a high within 90 days, percent, at most 0",
        percent
      ),
      score: nullableQuantity("Same as in get_score, -100 to 100", points),
      bias: Schema.NullOr(Schema.Literals(biases)),
      funding_rate_pct: nullableQuantity(
        "Funding rate of the perpetual's current interval, same as in get_derivatives, percent",
        fraction
      ),
      funding_interval_hours: nullableQuantity("Length of this interval")
    })),
    notes,
    ...provenance
  }),
  example: { coins: ["BTC", "ETH", "SOL"] }
})
