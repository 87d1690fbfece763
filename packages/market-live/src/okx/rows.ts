/** Schemas of OKX's market data, where all numbers are text and the newest rows come first. */
import { type Candle, hourMs, type TakerFlow, type Ticker } from "@tapeline/core/market"
import { Schema } from "effect"
import { Decimal, InstantMsText, lenientList, Name, NonNegativeDecimal, PositiveDecimal } from "../source/index.ts"
import { successResponse } from "./rejections.ts"

/**
 * The candle lengths requested from OKX, in milliseconds; longer candles are aggregated, because OKX's long candles
 * begin in Hong Kong time.
 */
export const candleLengths = { "1m": 60_000, "5m": 300_000 } as const
export type OkxCandleLength = keyof typeof candleLengths

export const stepMs = 300_000

const descendingBy = <A>(timeOf: (row: A) => number) =>
  Schema.makeFilter(
    (rows: ReadonlyArray<A>) => rows.every((row, i) => i === 0 || timeOf(row) < timeOf(rows[i - 1]!)),
    { expected: "descending times" }
  )

const firstColumn = ([time]: readonly [number, ...ReadonlyArray<unknown>]): number => time

const CandleFields = Schema.Tuple([
  InstantMsText,
  PositiveDecimal,
  PositiveDecimal,
  PositiveDecimal,
  PositiveDecimal,
  NonNegativeDecimal,
  // For spot markets, both volume fields are in the quote currency.
  NonNegativeDecimal,
  NonNegativeDecimal,
  Schema.Literals(["0", "1"])
])
type CandleFields = typeof CandleFields.Type

const isCandle = (length: number) => ([time, open, high, low, close]: CandleFields): boolean =>
  time % length === 0 && low <= Math.min(open, close) && high >= Math.max(open, close)

const candlesSchema = (length: number) =>
  successResponse(
    Schema.Array(CandleFields.check(Schema.makeFilter(isCandle(length), { expected: "a candle" })))
      .check(descendingBy<CandleFields>(firstColumn))
  )

export const Candles = { "1m": candlesSchema(candleLengths["1m"]), "5m": candlesSchema(candleLengths["5m"]) }

/** Converts an OKX candle to core's candle, without taker volume, which OKX does not report. */
export const toCandle = (
  [time, open, high, low, close, volume, , quoteVolume, confirm]: CandleFields,
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
  closed: confirm === "1" && time + length <= now
})

const Unset = Schema.Literal("")
type Unset = typeof Unset.Type

/** An amount as text. OKX sends an empty text for instruments that are not open yet or are about to expire. */
const Amount = Schema.Union([Unset, NonNegativeDecimal])
const Instant = Schema.Union([Unset, InstantMsText])

export const SpotTickers = successResponse(lenientList(Schema.Struct({
  instId: Name,
  last: Amount,
  open24h: Amount,
  high24h: Amount,
  low24h: Amount,
  volCcy24h: Amount,
  ts: InstantMsText
})))

/** Converts a 24-hour ticker, or returns undefined for a market without trades. */
export const toTicker = (
  coin: string,
  { high24h, last, low24h, open24h, ts, volCcy24h }: typeof SpotTickers.Type["data"][number]
): Ticker | undefined => {
  if (last === "" || high24h === "" || low24h === "" || open24h === "" || volCcy24h === "") return undefined
  if (last <= 0 || low24h <= 0 || open24h <= 0 || high24h < last || low24h > last) return undefined
  return {
    coin,
    time: ts,
    price: last,
    change24hPct: 100 * (last / open24h - 1),
    high24h,
    low24h,
    volume24hUsd: volCcy24h,
    marketCapUsd: null
  }
}

export const Fundings = successResponse(lenientList(Schema.Struct({
  instId: Name,
  fundingRate: Schema.Union([Unset, Decimal]),
  // `fundingTime` is the end of the current funding interval, and `nextFundingTime` is the end of the next interval.
  fundingTime: Instant,
  nextFundingTime: Instant,
  // `prevFundingTime` is the start of the current funding interval. The field is empty or absent for a contract that
  // has had no funding payment yet.
  prevFundingTime: Schema.optionalKey(Instant),
  ts: InstantMsText
})))

const possibleHours = [1, 2, 4, 8, 24]

/** Returns the length of a funding interval in hours, or null if the length is unknown or implausible. */
const hoursBetween = (from: number | Unset, to: number | Unset): number | null => {
  const hours = from === "" || to === "" ? NaN : (to - from) / hourMs
  return possibleHours.includes(hours) ? hours : null
}

/** Returns the current funding interval, or undefined if the rate, the end or the length of the interval is unknown. */
export const toFunding = (
  { fundingRate, fundingTime, nextFundingTime, prevFundingTime = "", ts: time }: typeof Fundings.Type["data"][number]
) => {
  const intervalHours = prevFundingTime === ""
    ? hoursBetween(fundingTime, nextFundingTime)
    : hoursBetween(prevFundingTime, fundingTime)
  return fundingRate === "" || fundingTime === "" || intervalHours === null
    ? undefined
    : { time, fundingRate, intervalHours, nextFundingAt: fundingTime }
}

export const OpenInterests = successResponse(
  lenientList(Schema.Struct({ instId: Name, oiCcy: Amount, oiUsd: Amount, ts: InstantMsText }))
)

export const MarkPrices = successResponse(
  lenientList(Schema.Struct({ instId: Name, markPx: Amount, ts: InstantMsText }))
)

export const IndexPrices = successResponse(
  lenientList(Schema.Struct({ instId: Name, idxPx: Amount, ts: InstantMsText }))
)

const FundingRow = Schema.Struct({ instId: Name, realizedRate: Decimal, fundingTime: InstantMsText })

export const FundingRows = successResponse(
  Schema.Array(FundingRow).check(descendingBy(({ fundingTime }: typeof FundingRow.Type) => fundingTime))
)

const isOnFiveMinuteGrid = Schema.makeFilter(
  ([time]: readonly [number, ...ReadonlyArray<unknown>]) => time % stepMs === 0,
  { expected: "a multiple of five minutes" }
)

const statisticsSchema = <A extends readonly [number, ...ReadonlyArray<unknown>], I>(row: Schema.Codec<A, I>) =>
  successResponse(Schema.Array(row.check(isOnFiveMinuteGrid)).check(descendingBy<A>(firstColumn)))

/** Decodes open interest as time, contracts, coins and dollars. */
export const OpenInterestRows = statisticsSchema(
  Schema.Tuple([InstantMsText, NonNegativeDecimal, NonNegativeDecimal, NonNegativeDecimal])
)

/** Decodes the time, and the ratio of accounts with long positions to accounts with short positions. */
export const AccountRatioRows = statisticsSchema(Schema.Tuple([InstantMsText, PositiveDecimal]))

const FlowRow = Schema.Tuple([InstantMsText, NonNegativeDecimal, NonNegativeDecimal])

/**
 * Decodes rows of taker flow: the start of the bucket, the amount that takers sold, and the amount that takers bought.
 */
export const FlowRows = statisticsSchema(FlowRow)

export const toTakerFlow = ([time, sellUsd, buyUsd]: typeof FlowRow.Type): TakerFlow => ({ time, buyUsd, sellUsd })
