import {
  bucketStart,
  type Candle,
  candleState,
  dayMs,
  durationMs,
  type Interval,
  type SourceUnavailable,
  type Timeframe
} from "@tapeline/core/market"
import { type MarketStore, pointsKinds, type Values } from "@tapeline/core/market/store"
import { Effect } from "effect"
import type { StoredCoin } from "./coins.ts"
import { withReadErrors } from "./storeReads.ts"

export const fiveMinutesMs = durationMs["5m"]

type Column = keyof typeof pointsKinds.candles.columns

/** A stored five-minute candle, or the aggregate of several five-minute candles. */
interface Row extends Values<Column> {
  readonly time: number
  readonly parts: number
  readonly firstAt: number
  readonly lastAt: number
}

interface Rows {
  readonly rows: ReadonlyArray<Row>
  readonly sources: ReadonlyArray<string>
}

/**
 * Reads the candles that were known at `knownAt` and whose opening times are in an interval. The candles of all coins
 * are read in one store request.
 */
export const readCandleRows = (
  store: MarketStore["Service"],
  { coins, from, knownAt, timeframe, to }: {
    readonly coins: ReadonlyArray<string>
    readonly timeframe: Timeframe
    readonly knownAt: number
  } & Interval
): Effect.Effect<ReadonlyMap<string, Rows>, SourceUnavailable> => {
  const length = durationMs[timeframe]
  const first = Math.ceil(from / length) * length
  const end = Math.ceil(to / length) * length
  // A five-minute candle is returned only after the candle is complete.
  const span = { from: first, to: Math.max(first, Math.min(end, knownAt - fiveMinutesMs + 1)) }
  const query = { kind: pointsKinds.candles, subjects: coins, ...span }
  if (timeframe !== "5m") {
    return Effect.map(
      withReadErrors(store.foldedPoints({ ...query, stepMs: length })),
      (read) => new Map(Array.from(read, ([coin, { points, sources }]) => [coin, { rows: points, sources }]))
    )
  }
  return Effect.map(
    withReadErrors(store.points(query)),
    (read) =>
      new Map(Array.from(read, ([coin, { points }]) => [coin, {
        rows: points.map((row) => ({ ...row, parts: 1, firstAt: row.time, lastAt: row.time })),
        sources: points.map(({ source }) => source)
      }]))
  )
}

/**
 * Converts a row to a list that contains one candle, or to an empty list if a value is unknown or a part of the candle
 * is missing.
 */
const toCandle = (row: Row, timeframe: Timeframe, coin: StoredCoin, knownAt: number): ReadonlyArray<Candle> => {
  const { close, high, low, open, quoteVolume, takerBuyVolume, time, volume } = row
  if (open === null || high === null || low === null || close === null || volume === null || quoteVolume === null) {
    return []
  }
  const marketLife = { until: knownAt, listedAt: coin.listedAt, delistedAt: coin.delistedAt }
  const state = candleState(time, timeframe, { ...row, closed: true }, marketLife)
  if (state === "incomplete") return []
  return [{ time, open, high, low, close, volume, quoteVolume, takerBuyVolume, closed: state === "closed" }]
}

/** The stored candles of a coin. The candles are known up to the time `asOf`. */
export interface Candles {
  readonly candles: ReadonlyArray<Candle>
  readonly sources: ReadonlyArray<string>
  readonly asOf: number
}

/** Converts rows to the candles that open before the coin's market ended, or returns undefined if no candle remains. */
export const toCandles = (
  read: Rows | undefined,
  timeframe: Timeframe,
  coin: StoredCoin,
  knownAt: number
): Candles | undefined => {
  if (read === undefined) return undefined
  const end = coin.delistedAt ?? Infinity
  const rows = read.rows.filter(({ time }) => time < end)
  const candles = rows.flatMap((row) => toCandle(row, timeframe, coin, knownAt))
  const last = candles.at(-1)
  if (last === undefined) return undefined
  const lastRow = rows.findLast(({ time }) => time === last.time)!
  const endOfLast = Math.min(last.time + durationMs[timeframe], end)
  return { candles, sources: read.sources, asOf: last.closed ? endOfLast : lastRow.lastAt + fiveMinutesMs }
}

/** Returns the interval of the last `bars` candles at a time, whose end is exclusive. */
export const lastBars = (timeframe: Timeframe, bars: number, knownAt: number): Interval => ({
  from: bucketStart(timeframe, knownAt) - (bars - 1) * durationMs[timeframe],
  to: knownAt + 1
})

/** The aggregate of a day's five-minute candles. */
export interface DaySummary {
  /** The price at the beginning of a 24-hour period, or null if not recorded. */
  readonly open: number | null
  readonly high: number | null
  readonly low: number | null
  readonly volumeUsd: number | null
  /** Whether all candles of a day were recorded. Candles that may still arrive are not counted as missing. */
  readonly isComplete: boolean
  readonly sources: ReadonlyArray<string>
}

const maxCandleDelayMs = 2 * fiveMinutesMs

/** Reads the last 24 hours of coins, and returns a function that summarises the day of a coin. */
export const readDaySummaries = (
  store: MarketStore["Service"],
  coins: ReadonlyArray<string> | undefined,
  now: number
): Effect.Effect<(coin: StoredCoin) => DaySummary | undefined, SourceUnavailable> => {
  const day = {
    from: Math.ceil((now - dayMs) / fiveMinutesMs) * fiveMinutesMs,
    to: Math.floor(now / fiveMinutesMs) * fiveMinutesMs
  }
  const query = { kind: pointsKinds.candles, ...(coins === undefined ? {} : { subjects: coins }), ...day }
  return Effect.map(withReadErrors(store.foldedPoints({ ...query, stepMs: dayMs })), (all) => (coin) => {
    const read = all.get(coin.coin)
    if (read === undefined) return undefined
    const { gaps: { lost, missing }, points: parts, sources } = read
    const listedBucket = bucketStart("5m", coin.listedAt)
    const hasGap = [
      ...lost,
      ...missing.filter(({ from, to }) => to < day.to || day.to - from > maxCandleDelayMs)
    ].some(({ to }) => to > listedBucket)
    const foldColumn = (column: "high" | "low", join: (one: number, other: number) => number) => {
      const values = parts.map((part) => part[column])
      return values.reduce((one, other) => one === null || other === null ? null : join(one, other), values[0] ?? null)
    }
    const total = parts.reduce<number | null>(
      (sum, { quoteVolume }) => sum === null || quoteVolume === null ? null : sum + quoteVolume,
      0
    )
    return {
      open: parts[0]?.firstAt === day.from ? parts[0].open : null,
      high: foldColumn("high", Math.max),
      low: foldColumn("low", Math.min),
      volumeUsd: total,
      isComplete: !hasGap,
      sources
    }
  })
}
