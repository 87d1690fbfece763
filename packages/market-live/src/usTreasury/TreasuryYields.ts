/** Provides par yields of US government bonds, one curve per working day, from quotes of about 15:30 in New York. */
import { dayMs, hourMs, newYorkOffset, type SourceUnavailable } from "@tapeline/core/market"
import { Context, Effect, Layer, Schema, SchemaTransformation } from "effect"
import type { DailyYields } from "../macro/dailyYields.ts"
import {
  Decimal,
  makeSource,
  makeXmlParser,
  type RetryPolicy,
  SourceHealth,
  type SourceResponse,
  UtcText,
  withValue
} from "../source/index.ts"

export class TreasuryYields extends Context.Service<TreasuryYields, {
  /** Fetches the days of a month (1 to 12) that have a yield curve, oldest first. */
  readonly month: (
    year: number,
    month: number
  ) => Effect.Effect<SourceResponse<ReadonlyArray<DailyYields>>, SourceUnavailable>
}>()("@tapeline/market-live/TreasuryYields") {}

export interface TreasuryYieldsOptions {
  readonly baseUrl?: string | undefined
  readonly retryPolicy?: Partial<RetryPolicy>
}

/** The tenors by their XML elements, except the tenor of 1.5 months, published since 2025. */
const tenors = [
  ["BC_1MONTH", "1M"],
  ["BC_2MONTH", "2M"],
  ["BC_3MONTH", "3M"],
  ["BC_4MONTH", "4M"],
  ["BC_6MONTH", "6M"],
  ["BC_1YEAR", "1Y"],
  ["BC_2YEAR", "2Y"],
  ["BC_3YEAR", "3Y"],
  ["BC_5YEAR", "5Y"],
  ["BC_7YEAR", "7Y"],
  ["BC_10YEAR", "10Y"],
  ["BC_20YEAR", "20Y"],
  ["BC_30YEAR", "30Y"]
] as const

const Pct = Decimal.check(Schema.isBetween({ minimum: -20, maximum: 100 }))

/** A yield, which is empty or absent for a tenor without a yield on the day. */
const Yield = Schema.optionalKey(Schema.Union([
  Pct,
  Schema.Literal("").pipe(
    Schema.decodeTo(Schema.Null, SchemaTransformation.transform({ decode: () => null, encode: () => "" as const }))
  )
]))

const Day = Schema.Struct({
  NEW_DATE: UtcText,
  BC_1MONTH: Yield,
  BC_2MONTH: Yield,
  BC_3MONTH: Yield,
  BC_4MONTH: Yield,
  BC_6MONTH: Yield,
  BC_1YEAR: Yield,
  BC_2YEAR: Yield,
  BC_3YEAR: Yield,
  BC_5YEAR: Yield,
  BC_7YEAR: Yield,
  BC_10YEAR: Yield,
  BC_20YEAR: Yield,
  BC_30YEAR: Yield
})

const Feed = Schema.Struct({
  feed: Schema.Struct({
    title: Schema.Literal("DailyTreasuryYieldCurveRateData"),
    entry: Schema.optionalKey(
      Schema.Array(Schema.Struct({ content: Schema.Struct({ properties: Day }) })).check(Schema.isMaxLength(31))
    )
  })
})

const quoteTimeOf = (date: number): number => date + (15.5 + newYorkOffset(date / dayMs)) * hourMs

const toDailyYields = ({ NEW_DATE, ...yieldsByElement }: typeof Day.Type): DailyYields => ({
  time: quoteTimeOf(NEW_DATE),
  yields: new Map(
    tenors.flatMap(([element, tenor]) => {
      const pct = yieldsByElement[element]
      return pct === undefined || pct === null ? [] : [[tenor, pct] as const]
    })
  )
})

const parse = makeXmlParser(["entry"])

/** The Treasury publishes no rate limit. */
const limits = [{ weight: 20, windowMs: 60_000 }]

export const layerTreasuryYields = (
  { baseUrl = "https://home.treasury.gov", retryPolicy = {} }: TreasuryYieldsOptions = {}
): Layer.Layer<TreasuryYields, never, SourceHealth> =>
  Layer.effect(
    TreasuryYields,
    Effect.map(
      makeSource({ name: "us_treasury", baseUrl, limits, retryPolicy }),
      (source): TreasuryYields["Service"] => ({
        month: (year, month) =>
          Effect.map(
            source.parsed({
              label: "yield curves",
              path: "/resource-center/data-chart-center/interest-rates/pages/xml",
              query: {
                data: "daily_treasury_yield_curve",
                field_tdr_date_value_month: `${year}${String(month).padStart(2, "0")}`
              },
              parse,
              schema: Feed,
              cacheMs: 600_000
            }),
            (answer) =>
              withValue(
                answer,
                (answer.value.feed.entry ?? [])
                  .map(({ content }) => toDailyYields(content.properties))
                  .toSorted((a, b) => a.time - b.time)
              )
          )
      })
    )
  )
