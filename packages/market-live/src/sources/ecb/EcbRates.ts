/**
 * The European Central Bank's reference rates, without a key: one a working day. It quotes currencies against the euro;
 * what a dollar costs in won is the quotient of two of them.
 */
import { dayMs, frankfurtOffset, hourMs, type Interval, minuteMs, type SourceUnavailable } from "@tapeline/core/market"
import { Context, Effect, Layer, Schema } from "effect"
import {
  type Answer,
  answering,
  makeSource,
  Name,
  type Patience,
  PositiveNumeric,
  presentOf,
  SourceHealth
} from "../../source/index.ts"

/** A rate, and the instant that it is of. */
export interface ReferenceRate {
  readonly quotedAt: number
  /** Won per dollar. */
  readonly rate: number
}

export class EcbRates extends Context.Service<EcbRates, {
  /** What a dollar cost in won on the working days of the interval, by the rate's own instant, oldest first. */
  readonly usdKrw: (interval: Interval) => Effect.Effect<Answer<ReadonlyArray<ReferenceRate>>, SourceUnavailable>
}>()("@tapeline/market-live/EcbRates") {}

export interface EcbRatesOptions {
  readonly baseUrl?: string
  readonly patience?: Partial<Patience>
}

/** Of a day without a rate it is null, or there is none. What may follow tells of the rate's standing. */
const Observation = Schema.TupleWithRest(Schema.Tuple([Schema.NullOr(PositiveNumeric)]), [Schema.Unknown])

const isDate = (id: string): boolean => !Number.isNaN(Date.parse(id))

const Day = Schema.Struct({
  id: Schema.String.check(
    Schema.isPattern(/^\d{4}-\d\d-\d\d$/u, { expected: "a date" }),
    Schema.makeFilter(isDate, { expected: "a date" })
  )
})

/** Series by their places in lists of dimensions, and rates by their days' places in a list of them. */
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

/** By day, what a euro cost in a currency; undefined where it is not told of at all. */
const perEuro = ({ dataSets: [{ series }], structure: { dimensions } }: Rates, currency: string) => {
  const place = dimensions.series.findIndex(({ id }) => id === "CURRENCY")
  const nth = dimensions.series[place]?.values.findIndex(({ id }) => id === currency) ?? -1
  if (nth < 0) return undefined
  const key = Object.keys(series).find((one) => one.split(":")[place] === String(nth))
  if (key === undefined) return undefined
  const days = dimensions.observation[0].values
  return new Map(
    Object.entries(series[key]!.observations).flatMap(([at, [rate]]) => {
      const day = days[Number(at)]
      return day === undefined || rate === null ? [] : [[day.id, rate] as const]
    })
  )
}

const hasBoth = (rates: Rates): boolean => perEuro(rates, "USD") !== undefined && perEuro(rates, "KRW") !== undefined
const BothRates = Rates.check(Schema.makeFilter(hasBoth, { expected: "the dollar and the won" }))

/** The central banks agree on them at a quarter past two in Frankfurt, and publish them about four. */
const agreedAt = (date: string): number => {
  const midnight = Date.parse(date)
  return midnight + (14 - frankfurtOffset(midnight / dayMs)) * hourMs + 15 * minuteMs
}

const crossed = (rates: Rates): ReadonlyArray<ReferenceRate> => {
  const dollars = perEuro(rates, "USD")
  return Array.from(perEuro(rates, "KRW") ?? [], ([date, won]) => ({ date, won, dollar: dollars?.get(date) }))
    .flatMap(({ date, dollar, won }) => dollar === undefined ? [] : [{ quotedAt: agreedAt(date), rate: won / dollar }])
    .toSorted((a, b) => a.quotedAt - b.quotedAt)
}

const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** It refuses what has no rate in it: no holidays last as long. */
const leastDays = 14

/** None is published; a rate a day needs few. */
const limits = [{ weight: 20, windowMs: 60_000 }]

export const layerEcbRates = (
  { baseUrl = "https://data-api.ecb.europa.eu", patience = {} }: EcbRatesOptions = {}
): Layer.Layer<EcbRates, never, SourceHealth> =>
  Layer.effect(
    EcbRates,
    Effect.map(makeSource({ name: "ecb", baseUrl, limits, patience }), (source): EcbRates["Service"] => ({
      usdKrw: ({ from, to }) =>
        Effect.map(
          source.json({
            what: "reference rates",
            path: "/service/data/EXR/D.USD+KRW.EUR.SP00.A",
            query: {
              startPeriod: dateOf(Math.min(from, to - leastDays * dayMs)),
              endPeriod: dateOf(to),
              detail: "dataonly",
              format: "jsondata"
            },
            schema: BothRates
          }),
          (answer) => {
            const until = Math.min(to, presentOf(answer) + 1)
            const inside = crossed(answer.value).filter(({ quotedAt }) => quotedAt >= from && quotedAt < until)
            return answering(answer, inside)
          }
        )
    }))
  )
