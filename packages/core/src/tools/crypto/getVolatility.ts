import { Schema } from "effect"
import { asOfArgument } from "../../engine/tool/argument.ts"
import { notes, nullableQuantity } from "../../engine/tool/result.ts"
import { percent } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

const windowNames = ["7d", "30d", "90d"] as const
const candleLengths = ["1h", "1d"] as const

const windowFields = {
  window: Schema.Literals(windowNames),
  tf: Schema.Literals(candleLengths).annotate({ description: "The closed candles used" })
}

const makeEstimatesField = (description: string) =>
  Schema.Array(Schema.Struct({
    ...windowFields,
    annualised_pct: nullableQuantity(
      "Percent a year of 365 days; null if less than two thirds of the window is recorded",
      percent
    ),
    n: Schema.Int.annotate({ description: "Number of returns or candles in the sample" })
  })).annotate({ description })

export const getVolatility = specify({
  name: "get_volatility",
  area: "crypto",
  scope: "read:market",
  credits: 1,
  pure: true,
  summary:
    "Realised volatility of a coin over 7, 30, 90 days, and its percentile in the year. Implied: get_iv_metrics.",
  parameters: Schema.Struct({ coin: CoinArgument, at: asOfArgument }),
  result: Schema.Struct({
    coin: Schema.String,
    realised_30d_pct: nullableQuantity("close_to_close of 30d, the value in other tools, percent a year", percent),
    realised_30d_percentile: nullableQuantity(
      "Share of the year's windows with a lower volatility, percent; `cone` contains the window and n",
      percent
    ),
    close_to_close: makeEstimatesField("Sample standard deviation of log returns"),
    parkinson: makeEstimatesField("From highs and lows, without drift and gaps"),
    garman_klass: makeEstimatesField("From open, high, low and close, without drift and gaps"),
    yang_zhang: makeEstimatesField("From open, high, low and close, with gaps and drift"),
    ewma: makeEstimatesField("Exponentially weighted squares of log returns, half-life a seventh of the window"),
    cone: Schema.Array(Schema.Struct({
      ...windowFields,
      min: nullableQuantity("Percent a year", percent),
      p25: nullableQuantity("Percent a year", percent),
      median: nullableQuantity("Percent a year", percent),
      p75: nullableQuantity("Percent a year", percent),
      max: nullableQuantity("Percent a year", percent),
      current: nullableQuantity("close_to_close of this window, percent a year", percent),
      percentile: nullableQuantity("Share of the windows strictly below the current one, percent", percent),
      n: Schema.Int.annotate({
        description: "Number of overlapping windows; one ended on each day of the previous year"
      })
    })).annotate({ description: "close_to_close over 365 days, by window length; null with fewer than 20 windows" }),
    notes,
    ...provenance
  }),
  example: { coin: "BTC" }
})
