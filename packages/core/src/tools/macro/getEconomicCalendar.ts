import { Schema, SchemaTransformation } from "effect"
import { integerBetween, optional, withDefault } from "../../engine/tool/argument.ts"
import { Instant, notes, nullableQuantity } from "../../engine/tool/result.ts"
import { specify } from "../../engine/tool/specification.ts"
import { provenance } from "../../market/provenance.ts"

const Country = Schema.String.annotate({ description: "US, KR, EU, GB, JP, CN" }).check(
  Schema.isPattern(/^[A-Za-z]{2}$/u, {
    expected: "a two-letter country code, such as US",
    expectedMessage: { key: "expected_country" }
  })
).pipe(Schema.decodeTo(Schema.String, SchemaTransformation.toUpperCase()))

export const getEconomicCalendar = specify({
  name: "get_economic_calendar",
  area: "macro",
  scope: "read:market",
  credits: 5,
  summary: "Economic releases and rate decisions: forecast, previous, actual, surprise. Companies: get_us_earnings.",
  parameters: Schema.Struct({
    days: withDefault(integerBetween(1, 30, "Days ahead"), 7),
    days_back: withDefault(integerBetween(0, 30), 1),
    country: optional(Country)
  }),
  result: Schema.Struct({
    events: Schema.Array(Schema.Struct({
      time: Schema.NullOr(Instant).annotate({ description: "Null if the source reports only the date" }),
      date: Schema.String.annotate({ description: "Date, UTC" }),
      country: Schema.String,
      name: Schema.String,
      importance: Schema.Literals(["low", "medium", "high"]),
      unit: Schema.NullOr(Schema.String).annotate({ description: "Unit of the values; null if the source names none" }),
      forecast: nullableQuantity("Consensus; null if no source reports it or it is not published yet"),
      previous: nullableQuantity("Value of the previous period; null until published"),
      actual: nullableQuantity("Null until published"),
      surprise: nullableQuantity("Actual minus forecast, in the same unit; null if either is null")
    })).annotate({ description: "Soonest first" }),
    next_high: Schema.NullOr(Schema.Struct({ time: Instant, country: Schema.String, name: Schema.String })).annotate({
      description: "The next of these events with high importance"
    }),
    notes,
    ...provenance
  }),
  example: { days: 7, country: "US" }
})
