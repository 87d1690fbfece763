/** Payloads of Binance's futures that are series. */
import type { TakerFlow } from "@tapeline/core/market"
import { Schema } from "effect"
import { Decimal, InstantMs, InstantMsText, Name, NonNegativeDecimal, PositiveDecimal } from "../../source/index.ts"
import { KlineFields } from "./klines.ts"

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

export const flowStepMs = 300_000

const isFlow = ([time, , , , , , closeTime, quote, , , bought]: typeof KlineFields.Type): boolean =>
  time % flowStepMs === 0 && closeTime === time + flowStepMs - 1 && bought <= quote

export const FlowRows = Schema.Array(KlineFields.check(Schema.makeFilter(isFlow, { expected: "a bucket of flow" })))
  .check(ordered(([time]: typeof KlineFields.Type) => time))

/** Sides of a bucket in whole cents: what is left of a sum of eight decimals is no more exact than that. */
export const flowOf = ([time, , , , , , , quote, , , buyUsd]: typeof KlineFields.Type): TakerFlow => ({
  time,
  buyUsd,
  sellUsd: Math.round((quote - buyUsd) * 100) / 100
})
