import { Schema } from "effect"
import { asOfArgument, integerBetween, withDefault } from "../../engine/tool/argument.ts"
import { notes, nullableQuantity } from "../../engine/tool/result.ts"
import { fraction, percent } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

export const weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const

const makeBuckets = <S extends Schema.Codec<number | string, number | string>>(bucket: S) =>
  Schema.Array(Schema.Struct({
    bucket,
    mean_return_pct: nullableQuantity("Mean return from close to close, percent", fraction),
    up_pct: nullableQuantity("Share of the returns above 0, percent", percent),
    n: Schema.Int.annotate({ description: "Returns" }),
    t_stat: nullableQuantity("t-statistic of the mean against 0", fraction),
    p_adjusted: nullableQuantity(
      "Two-sided p-value, Benjamini-Hochberg adjusted over all 31 buckets; significant below 0.05",
      fraction
    )
  }))

export const getSeasonality = specify({
  name: "get_seasonality",
  area: "crypto",
  scope: "read:market",
  credits: 1,
  pure: true,
  summary: "Mean return of a coin by hour and weekday (UTC), with significance adjusted for many tests.",
  parameters: Schema.Struct({
    coin: CoinArgument,
    days: withDefault(integerBetween(30, 730), 365),
    at: asOfArgument
  }),
  result: Schema.Struct({
    coin: Schema.String,
    days: Schema.Int,
    by_hour: makeBuckets(Schema.Int.annotate({ description: "Opening hour of the 1h candle, UTC" })),
    by_weekday: makeBuckets(Schema.Literals(weekdays).annotate({ description: "Day of the 1d candle, UTC" })),
    significant: Schema.Int.annotate({ description: "Number of buckets with p_adjusted below 0.05" }),
    notes,
    ...provenance
  }),
  example: { coin: "BTC" }
})
