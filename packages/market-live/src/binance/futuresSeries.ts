import type { TakerFlow } from "@tapeline/core/market"
import { Schema, SchemaTransformation } from "effect"
import { Decimal, InstantMs, InstantMsText, Name, NonNegativeDecimal, PositiveDecimal } from "../source/index.ts"
import { KlineFields } from "./klines.ts"

/** The time of a Binance statistic, which Binance documents as text but sends as a number. */
const StatisticsTime = Schema.Union([InstantMs, InstantMsText])

const isAscending = <A>(rows: ReadonlyArray<A>, timeOf: (row: A) => number): boolean =>
  rows.every((row, i) => i === 0 || timeOf(row) > timeOf(rows[i - 1]!))

const ascendingBy = <A>(timeOf: (row: A) => number) =>
  Schema.makeFilter((rows: ReadonlyArray<A>) => isAscending(rows, timeOf), { expected: "ascending times" })

/**
 * Decodes Binance's statistics, which arrive in ascending or descending order of time, and returns them oldest first.
 */
const statisticsSchema = <A extends { readonly timestamp: number }, I>(row: Schema.Codec<A, I>) => {
  const timeOf = ({ timestamp }: A): number => timestamp
  const rows = Schema.Array(row)
  return rows.check(
    Schema.makeFilter((all: ReadonlyArray<A>) => isAscending(all, timeOf) || isAscending(all.toReversed(), timeOf), {
      expected: "ascending or descending times"
    })
  ).pipe(
    Schema.decodeTo(
      Schema.toType(rows),
      SchemaTransformation.transform<ReadonlyArray<A>, ReadonlyArray<A>>({
        decode: (all) => isAscending(all, timeOf) ? all : all.toReversed(),
        encode: (all) => all
      })
    )
  )
}

export const OpenInterestRows = statisticsSchema(Schema.Struct({
  symbol: Name,
  sumOpenInterest: NonNegativeDecimal,
  sumOpenInterestValue: NonNegativeDecimal,
  timestamp: StatisticsTime
}))

export const AccountRatioRows = statisticsSchema(Schema.Struct({
  symbol: Name,
  longShortRatio: PositiveDecimal,
  timestamp: StatisticsTime
}))

const FundingRow = Schema.Struct({
  symbol: Name,
  fundingRate: Decimal,
  fundingTime: InstantMs,
  // A payment of type `SPECIAL` can have the same time as a `REGULAR` payment.
  rateType: Schema.optionalKey(Name)
})
type FundingRow = typeof FundingRow.Type

/** Returns whether funding payments ascend in time, with at most one payment of each type at a time. */
const areValidPayments = (rows: ReadonlyArray<FundingRow>): boolean =>
  rows.every(({ fundingTime }, i) => i === 0 || fundingTime >= rows[i - 1]!.fundingTime) &&
  new Set(rows.map(({ fundingTime, rateType }) => `${fundingTime} ${rateType}`)).size === rows.length

export const FundingRows = Schema.Array(FundingRow).check(
  Schema.makeFilter(areValidPayments, { expected: "ascending times, and each type once" })
)

export const mergePayments = (rows: ReadonlyArray<FundingRow>) =>
  [...Map.groupBy(rows, ({ fundingTime }) => fundingTime)].map(([fundingTime, own]) => ({
    fundingTime,
    fundingRate: own.length === 1
      ? own[0]!.fundingRate
      : Number(own.reduce((sum, { fundingRate }) => sum + fundingRate, 0).toPrecision(12))
  }))

export const flowStepMs = 300_000

const isFlowBucket = ([time, , , , , , closeTime, quote, , , bought]: typeof KlineFields.Type): boolean =>
  time % flowStepMs === 0 && closeTime === time + flowStepMs - 1 && bought <= quote

export const FlowRows = Schema.Array(
  KlineFields.check(Schema.makeFilter(isFlowBucket, { expected: "a bucket of flow" }))
)
  .check(ascendingBy(([time]: typeof KlineFields.Type) => time))

/** Converts a kline to taker flow in dollars, where the sell volume is the total minus the buy volume. */
export const toTakerFlow = ([time, , , , , , , quote, , , buyUsd]: typeof KlineFields.Type): TakerFlow => ({
  time,
  buyUsd,
  sellUsd: Math.round((quote - buyUsd) * 100) / 100
})
