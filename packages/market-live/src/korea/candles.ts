import { type Candle, dayMs, hourMs, type Interval, minuteMs } from "@tapeline/core/market"
import { Schema } from "effect"
import { Name, NonNegativeNumeric, PositiveNumeric, UtcText } from "../source/index.ts"

/** The requested candle lengths in milliseconds, with their URL paths; a month counts as 31 days. */
export const krwLengths = {
  "1m": { ms: minuteMs, path: "minutes/1" },
  "5m": { ms: 5 * minuteMs, path: "minutes/5" },
  "1h": { ms: hourMs, path: "minutes/60" },
  "1d": { ms: dayMs, path: "days" },
  "1M": { ms: 31 * dayMs, path: "months" }
} as const
export type KrwCandleLength = keyof typeof krwLengths

/** Candles of a won market, without a candle for an interval without a trade. */
export interface KrwCandles {
  /** The candles, oldest first, with null for the taker buy volume, which exchanges do not report. */
  readonly candles: ReadonlyArray<Candle>
  /** The time from which the candles are complete, up to the end of the requested interval. */
  readonly completeFrom: number
}

export const maxCandles = 200

const Row = Schema.Struct({
  market: Name,
  candle_date_time_utc: UtcText,
  opening_price: PositiveNumeric,
  high_price: PositiveNumeric,
  low_price: PositiveNumeric,
  trade_price: PositiveNumeric,
  candle_acc_trade_price: NonNegativeNumeric,
  candle_acc_trade_volume: NonNegativeNumeric
})
type Row = typeof Row.Type

/**
 * Returns whether a candle is valid. The start times of day and month candles are not checked, because they depend on
 * the exchange's time zone.
 */
const isCandle = (length: KrwCandleLength) => (row: Row) => {
  const { candle_date_time_utc: time, high_price, low_price, opening_price, trade_price } = row
  const { ms } = krwLengths[length]
  return (ms > hourMs || time % ms === 0) && low_price <= Math.min(opening_price, trade_price) &&
    high_price >= Math.max(opening_price, trade_price)
}

const isDescending = (rows: ReadonlyArray<Row>): boolean =>
  rows.every((row, i) => i === 0 || row.candle_date_time_utc < rows[i - 1]!.candle_date_time_utc)

const rowsSchema = (length: KrwCandleLength) =>
  Schema.Array(Row.check(Schema.makeFilter(isCandle(length), { expected: "a candle" })))
    .check(Schema.makeFilter(isDescending, { expected: "descending times" }))

/** Decodes valid candles of one length, newest first, without duplicates. */
export const CandleRows = {
  "1m": rowsSchema("1m"),
  "5m": rowsSchema("5m"),
  "1h": rowsSchema("1h"),
  "1d": rowsSchema("1d"),
  "1M": rowsSchema("1M")
}

/** Returns the number of candles to request to cover the interval, up to the maximum of one response. */
export const candleCount = ({ from, length, to }: Interval & { readonly length: KrwCandleLength }): number =>
  Math.max(1, Math.min(maxCandles, Math.ceil((to - from) / krwLengths[length].ms) + 1))

const toCandle = (row: Row, ms: number, now: number): Candle => ({
  time: row.candle_date_time_utc,
  open: row.opening_price,
  high: row.high_price,
  low: row.low_price,
  close: row.trade_price,
  volume: row.candle_acc_trade_volume,
  quoteVolume: row.candle_acc_trade_price,
  takerBuyVolume: null,
  closed: row.candle_date_time_utc + ms <= now
})

/** Converts the rows that open in the interval to core's candles, where `now` is the current time at the source. */
export const toKrwCandles = (
  rows: ReadonlyArray<Row>,
  { from, length, to }: Interval & { readonly length: KrwCandleLength },
  now: number
): KrwCandles => {
  const inside = rows.filter(({ candle_date_time_utc: time }) => time >= from && time < to)
  const oldest = rows.at(-1)?.candle_date_time_utc
  const isTruncated = oldest !== undefined && oldest > from && rows.length >= maxCandles
  return {
    candles: inside.map((row) => toCandle(row, krwLengths[length].ms, now)).toReversed(),
    completeFrom: isTruncated ? oldest : from
  }
}
