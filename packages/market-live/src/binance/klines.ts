import type { Candle } from "@tapeline/core/market"
import { Schema } from "effect"
import { InstantMs, Name, NonNegativeDecimal, PositiveDecimal } from "../source/index.ts"

/**
 * The candle intervals requested from Binance; longer candles are aggregated, because venues begin long candles at
 * different hours.
 */
export const klineMs = { "1m": 60_000, "5m": 300_000 } as const
export type KlineInterval = keyof typeof klineMs

export const KlineFields = Schema.Tuple([
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

type Fields = typeof KlineFields.Type

const isCandle =
  (interval: KlineInterval) => ([time, open, high, low, close, volume, closeTime, , , takerBuy]: Fields) =>
    time % klineMs[interval] === 0 && closeTime === time + klineMs[interval] - 1 &&
    low <= Math.min(open, close) && high >= Math.max(open, close) && takerBuy <= volume

const klineSchema = (interval: KlineInterval) =>
  KlineFields.check(Schema.makeFilter(isCandle(interval), { expected: "a candle" }))

const isAscending = (rows: ReadonlyArray<Fields>): boolean =>
  rows.every((row, i) => i === 0 || row[0] > rows[i - 1]![0])

export const klinesSchema = (interval: KlineInterval) =>
  Schema.Array(klineSchema(interval)).check(Schema.makeFilter(isAscending, { expected: "ascending times" }))

export const toCandle = (
  [time, open, high, low, close, volume, closeTime, quoteVolume, , takerBuyVolume]: Fields,
  now: number
): Candle => ({ time, open, high, low, close, volume, quoteVolume, takerBuyVolume, closed: closeTime < now })
