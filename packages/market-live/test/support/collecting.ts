import { durationMs, type Gap, type Interval } from "@tapeline/core/market"
import {
  clipRanges,
  type CoverageUpdate,
  type Fence,
  type MarketStore,
  subtractRanges,
  toRanges
} from "@tapeline/core/market/store"

/** The simulated data to write into a store, and the gaps in the data. */
export interface Collection {
  /** The time of data of which the store keeps only the current value. */
  readonly now: number
  /** The end of the written series, which may be after `now` for tests that advance the clock. */
  readonly until: number
  readonly coins: ReadonlyArray<string>
  /** The intervals that were not recorded and that no backfill can fill. */
  readonly lost: ReadonlyArray<Gap>
  readonly delisted: Readonly<Record<string, number>>
  /** Coins that have no supply and no taker volumes. */
  readonly sparseCoins: ReadonlyArray<string>
  readonly candleDays: number
  readonly priceDays: number
  readonly perpetualDays: number
}

export const fiveMinutesMs = durationMs["5m"]
export const sourceName = "simulated"
/** The sources of derivatives data in a simulated market: the venues, and the common source of all written records. */
export const simulatedVenues = [sourceName, "binance", "bybit", "hyperliquid", "okx"]

export interface WriteContext {
  readonly store: MarketStore["Service"]
  readonly fence: Fence
  readonly collection: Collection
}

/** Extends the gaps to whole steps of the grid. */
export const alignToGrid = (gaps: ReadonlyArray<Gap>, stepMs: number) =>
  toRanges(gaps.map(({ from, to }) => ({
    from: Math.floor(from / stepMs) * stepMs,
    to: Math.ceil(to / stepMs) * stepMs
  })))

export const coverageOf = (interval: Interval, lost: ReadonlyArray<Gap>): CoverageUpdate => ({
  covers: subtractRanges([interval], toRanges(lost)),
  lost: clipRanges(toRanges(lost), interval)
})

export const isInGaps = (gaps: ReadonlyArray<Gap>, time: number): boolean =>
  gaps.some(({ from, to }) => from <= time && time < to)

/** The exclusive end of a coin's series. */
export const endOfSeries = ({ delisted, until }: Collection, coin: string): number =>
  Math.min(until, delisted[coin] ?? Infinity)
