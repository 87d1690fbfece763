/**
 * Fetches the European Central Bank's reference rates against the euro, so the price of a dollar in won is the quotient
 * of two rates.
 */
import { dayMs, frankfurtOffset, hourMs, type Interval, minuteMs, type SourceUnavailable } from "@tapeline/core/market"
import { Context, Effect, Layer, Schema } from "effect"
import {
  makeSource,
  Name,
  PositiveNumeric,
  type RetryPolicy,
  SourceHealth,
  type SourceResponse,
  sourceTimeOf,
  withValue
} from "../source/index.ts"

/** A reference rate, and the time for which the rate is quoted. */
export interface ReferenceRate {
  readonly quotedAt: number
  /** The price of a dollar, in won. */
  readonly rate: number
}

export class EcbRates extends Context.Service<EcbRates, {
  /**
   * Fetches the price of a dollar in won on each working day, oldest first. A day's rate is included if the quote time
   * of the rate lies in the interval.
   */
  readonly usdKrw: (
    interval: Interval
  ) => Effect.Effect<SourceResponse<ReadonlyArray<ReferenceRate>>, SourceUnavailable>
}>()("@tapeline/market-live/EcbRates") {}

export interface EcbRatesOptions {
  readonly baseUrl?: string | undefined
  readonly retryPolicy?: Partial<RetryPolicy>
}

/** A rate, optionally followed by its status. The rate is null on a day without a reference rate. */
const Observation = Schema.TupleWithRest(Schema.Tuple([Schema.NullOr(PositiveNumeric)]), [Schema.Unknown])

const isDate = (id: string): boolean => !Number.isNaN(Date.parse(id))

const Day = Schema.Struct({
  id: Schema.String.check(
    Schema.isPattern(/^\d{4}-\d\d-\d\d$/u, { expected: "a date" }),
    Schema.makeFilter(isDate, { expected: "a date" })
  )
})

/**
 * A response with exchange rates in SDMX format. In SDMX, the key of a series contains one index per dimension, and the
 * key of a rate is the index of its day.
 */
const Rates = Schema.Struct({
  dataSets: Schema.NonEmptyArray(Schema.Struct({
    series: Schema.Record(
      Schema.String,
      Schema.Struct({ observations: Schema.Record(Schema.String, Observation) })
    )
  })),
  structure: Schema.Struct({
    dimensions: Schema.Struct({
      series: Schema.Array(Schema.Struct({ id: Name, values: Schema.Array(Schema.Struct({ id: Name })) })),
      observation: Schema.Tuple([Schema.Struct({ id: Schema.Literal("TIME_PERIOD"), values: Schema.Array(Day) })])
    })
  })
})
type Rates = typeof Rates.Type

const ratesPerEuro = ({ dataSets: [{ series }], structure: { dimensions } }: Rates, currency: string) => {
  const place = dimensions.series.findIndex(({ id }) => id === "CURRENCY")
  const index = dimensions.series[place]?.values.findIndex(({ id }) => id === currency) ?? -1
  if (index < 0) return undefined
  const key = Object.keys(series).find((one) => one.split(":")[place] === String(index))
  if (key === undefined) return undefined
  const days = dimensions.observation[0].values
  return new Map(
    Object.entries(series[key]!.observations).flatMap(([at, [rate]]) => {
      const day = days[Number(at)]
      return day === undefined || rate === null ? [] : [[day.id, rate] as const]
    })
  )
}

const hasBothCurrencies = (rates: Rates): boolean =>
  ratesPerEuro(rates, "USD") !== undefined && ratesPerEuro(rates, "KRW") !== undefined
const BothRates = Rates.check(Schema.makeFilter(hasBothCurrencies, { expected: "the dollar and the won" }))

/** Returns the quote time of a day's rates: 14:15 in Frankfurt. */
const quoteTimeOf = (date: string): number => {
  const midnight = Date.parse(date)
  return midnight + (14 - frankfurtOffset(midnight / dayMs)) * hourMs + 15 * minuteMs
}

const toUsdKrwRates = (rates: Rates): ReadonlyArray<ReferenceRate> => {
  const dollars = ratesPerEuro(rates, "USD")
  return Array.from(ratesPerEuro(rates, "KRW") ?? [], ([date, won]) => ({ date, won, dollar: dollars?.get(date) }))
    .flatMap(({ date, dollar, won }) =>
      dollar === undefined ? [] : [{ quotedAt: quoteTimeOf(date), rate: won / dollar }]
    )
    .toSorted((a, b) => a.quotedAt - b.quotedAt)
}

const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** The minimum length of a requested interval in days, because the ECB rejects an interval without a rate. */
const minDays = 14

/** The ECB publishes no rate limit. */
const limits = [{ weight: 20, windowMs: 60_000 }]

export const layerEcbRates = (
  { baseUrl = "https://data-api.ecb.europa.eu", retryPolicy = {} }: EcbRatesOptions = {}
): Layer.Layer<EcbRates, never, SourceHealth> =>
  Layer.effect(
    EcbRates,
    Effect.map(makeSource({ name: "ecb", baseUrl, limits, retryPolicy }), (source): EcbRates["Service"] => ({
      usdKrw: ({ from, to }) =>
        Effect.map(
          source.json({
            label: "reference rates",
            path: "/service/data/EXR/D.USD+KRW.EUR.SP00.A",
            query: {
              startPeriod: dateOf(Math.min(from, to - minDays * dayMs)),
              endPeriod: dateOf(to),
              detail: "dataonly",
              format: "jsondata"
            },
            schema: BothRates
          }),
          (answer) => {
            const until = Math.min(to, sourceTimeOf(answer) + 1)
            const inside = toUsdKrwRates(answer.value).filter(({ quotedAt }) => quotedAt >= from && quotedAt < until)
            return withValue(answer, inside)
          }
        )
    }))
  )
