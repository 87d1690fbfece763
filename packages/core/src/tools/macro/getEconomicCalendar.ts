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
      time: Schema.NullOr(Instant).annotate({ description: "Null where the source gives the date alone" }),
      date: Schema.String.annotate({ description: "Date, UTC" }),
      country: Schema.String,
      name: Schema.String,
      importance: Schema.Literals(["low", "medium", "high"]),
      unit: Schema.NullOr(Schema.String).annotate({ description: "Of the figures; null where the source names none" }),
      forecast: nullableQuantity("Consensus; null where no source tells, or it is not out yet"),
      previous: nullableQuantity("Of the period before; null until it is published"),
      actual: nullableQuantity("Null until it is published"),
      surprise: nullableQuantity("Actual less forecast, in the same unit; null where one is")
    })).annotate({ description: "Soonest first" }),
    next_high: Schema.NullOr(Schema.Struct({ time: Instant, country: Schema.String, name: Schema.String })).annotate({
      description: "The next event of high importance among them"
    }),
    notes,
    ...provenance
  }),
  example: { days: 7, country: "US" }
})
