/** Payloads of Binance's futures that are series. */
import type { FundingPrint, TakerFlow } from "@tapeline/core/market"
import { hourMs } from "@tapeline/core/market"
import { Schema } from "effect"
import { Decimal, InstantMs, InstantMsText, Name, NonNegativeDecimal, PositiveDecimal } from "../../source/index.ts"

/** Its documents write these times as text, and its servers as numbers. */
const StatisticsTime = Schema.Union([InstantMs, InstantMsText])

const inOrder = <A>(timeOf: (row: A) => number, isStrict = true) => (rows: ReadonlyArray<A>): boolean =>
  rows.every((row, i) =>
    i === 0 || (isStrict ? timeOf(row) > timeOf(rows[i - 1]!) : timeOf(row) >= timeOf(rows[i - 1]!))
  )

const ordered = <A>(timeOf: (row: A) => number) => Schema.makeFilter(inOrder(timeOf), { expected: "ascending times" })

const stamped = ({ timestamp }: { readonly timestamp: number }): number => timestamp

export const OpenInterestRows = Schema.Array(Schema.Struct({
  symbol: Name,
  sumOpenInterest: NonNegativeDecimal,
  sumOpenInterestValue: NonNegativeDecimal,
  timestamp: StatisticsTime
})).check(ordered(stamped))

export const AccountRatioRows = Schema.Array(Schema.Struct({
  symbol: Name,
  longShortRatio: PositiveDecimal,
  timestamp: StatisticsTime
})).check(ordered(stamped))

export const FundingRows = Schema.Array(Schema.Struct({
  symbol: Name,
  fundingRate: Decimal,
  fundingTime: InstantMs
})).check(ordered(({ fundingTime }) => fundingTime))

const lengths = [1, 2, 4, 8]

/** Between two payments, whole hours; null where one may be missing between them. */
const hoursBetween = (from: number, to: number): number | null => {
  const hours = Math.round((to - from) / hourMs)
  return lengths.includes(hours) ? hours : null
}

/**
 * Payments with the intervals that they end: the time since the payment before. Where that one is not known, the time
 * to the next, else the length that the contract has now.
 */
export const printsOf = (rows: typeof FundingRows.Type, hoursNow: number): ReadonlyArray<FundingPrint> =>
  rows.map(({ fundingRate, fundingTime: time }, i) => {
    const before = rows[i - 1]
    const after = rows[i + 1]
    const known = before === undefined ? null : hoursBetween(before.fundingTime, time)
    const next = after === undefined ? null : hoursBetween(time, after.fundingTime)
    return { time, fundingRate, intervalHours: known ?? next ?? hoursNow }
  })

const FlowFields = Schema.Tuple([
  InstantMs,
  PositiveDecimal,
  PositiveDecimal,
  PositiveDecimal,
  PositiveDecimal,
  NonNegativeDecimal,
  InstantMs,
  NonNegativeDecimal,
  Schema.Int,
  NonNegativeDecimal,
  NonNegativeDecimal,
  Name
])
type Flow = typeof FlowFields.Type

export const flowStepMs = 300_000

const isFlow = ([time, , , , , , closeTime, quote, , , bought]: Flow): boolean =>
  time % flowStepMs === 0 && closeTime === time + flowStepMs - 1 && bought <= quote

export const FlowRows = Schema.Array(FlowFields.check(Schema.makeFilter(isFlow, { expected: "a bucket of flow" })))
  .check(ordered(([time]: Flow) => time))

/** Sides of a bucket in whole cents: what is left of a sum of eight decimals is no more exact than that. */
export const flowOf = ([time, , , , , , , quote, , , buyUsd]: Flow): TakerFlow => ({
  time,
  buyUsd,
  sellUsd: Math.round((quote - buyUsd) * 100) / 100
})
