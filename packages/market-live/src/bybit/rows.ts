import { type Candle, dayMs, minuteMs } from "@tapeline/core/market"
import { Schema } from "effect"
import { Decimal, InstantMsText, Name, NonNegativeDecimal, PositiveDecimal } from "../source/index.ts"
import { successResponse } from "./rejections.ts"

export const stepMs = 300_000

const descendingBy = <A>(timeOf: (row: A) => number) =>
  Schema.makeFilter(
    (rows: ReadonlyArray<A>) => rows.every((row, i) => i === 0 || timeOf(row) < timeOf(rows[i - 1]!)),
    { expected: "descending times" }
  )

const timestampOf = ({ timestamp }: { readonly timestamp: number }): number => timestamp
const isOnFiveMinuteGrid = Schema.makeFilter(
  ({ timestamp }: { readonly timestamp: number }) => timestamp % stepMs === 0,
  { expected: "a multiple of five minutes" }
)

const KlineFields = Schema.Tuple([
  InstantMsText,
  PositiveDecimal,
  PositiveDecimal,
  PositiveDecimal,
  PositiveDecimal,
  NonNegativeDecimal,
  NonNegativeDecimal
])
type KlineFields = typeof KlineFields.Type

/** The candle lengths requested from Bybit, in milliseconds; longer candles are aggregated from five-minute candles. */
export const klineLengths = { "1m": minuteMs, "5m": stepMs, "1d": dayMs } as const
export type BybitKlineLength = keyof typeof klineLengths
export const klineNames = { "1m": "1", "5m": "5", "1d": "D" } as const

const isCandle = (length: number) => ([time, open, high, low, close]: KlineFields): boolean =>
  time % length === 0 && low <= Math.min(open, close) && high >= Math.max(open, close)

const klinesSchema = (length: number) =>
  successResponse(Schema.Struct({
    category: Schema.Literal("spot"),
    symbol: Name,
    list: Schema.Array(KlineFields.check(Schema.makeFilter(isCandle(length), { expected: "a candle" })))
      .check(descendingBy(([time]: KlineFields) => time))
  }))

export const Klines = { "1m": klinesSchema(minuteMs), "5m": klinesSchema(stepMs), "1d": klinesSchema(dayMs) }

export const MonthKlines = Klines["1d"]

/** Converts a Bybit candle to core's candle, without taker volume, which Bybit does not report. */
export const toCandle = (
  [time, open, high, low, close, volume, quoteVolume]: KlineFields,
  length: number,
  now: number
): Candle => ({
  time,
  open,
  high,
  low,
  close,
  volume,
  quoteVolume,
  takerBuyVolume: null,
  closed: time + length <= now
})

export const FundingRows = successResponse(Schema.Struct({
  category: Schema.Literal("linear"),
  list: Schema.Array(Schema.Struct({
    symbol: Name,
    fundingRate: Decimal,
    fundingRateTimestamp: InstantMsText
  })).check(descendingBy(({ fundingRateTimestamp }) => fundingRateTimestamp))
}))

export const OpenInterestRows = successResponse(Schema.Struct({
  category: Schema.Literal("linear"),
  symbol: Name,
  // `singleOpenInterest` counts one side of each contract; `openInterest` counts both sides.
  list: Schema.Array(
    Schema.Struct({ singleOpenInterest: NonNegativeDecimal, timestamp: InstantMsText }).check(isOnFiveMinuteGrid)
  )
    .check(descendingBy(timestampOf))
}))

const sumsToOne = ({ buyRatio, sellRatio }: { readonly buyRatio: number; readonly sellRatio: number }): boolean =>
  Math.abs(buyRatio + sellRatio - 1) < 0.001

export const AccountRatioRows = successResponse(Schema.Struct({
  list: Schema.Array(
    Schema.Struct({
      symbol: Name,
      buyRatio: NonNegativeDecimal,
      sellRatio: PositiveDecimal,
      timestamp: InstantMsText
    }).check(isOnFiveMinuteGrid, Schema.makeFilter(sumsToOne, { expected: "shares of one" }))
  ).check(descendingBy(timestampOf))
}))
