import { Clock, Effect } from "effect"
import { formatInstant } from "../engine/tool/result.ts"
import { hourMs, minuteMs } from "../market/timeframe.ts"
import type { ClosedBars } from "./signals/closedBars.ts"
import { maxLagMs } from "./signals/readings.ts"

/**
 * The maximum age difference between a coin's price and the newest price, in ms. An older price is reported as stale.
 */
const maxPriceLagMs = 10 * minuteMs

export const findStaleCoins = (
  tickers: ReadonlyArray<{ readonly coin: string; readonly time: number }>
): ReadonlyArray<string> => {
  const newest = Math.max(...tickers.map(({ time }) => time))
  return tickers.filter(({ time }) => time < newest - maxPriceLagMs).map(({ coin }) => coin)
}

/** Returns a note on the coins whose prices are stale. Returns an empty list if `coins` is empty. */
export const staleNotes = (coins: ReadonlyArray<string>): ReadonlyArray<string> =>
  coins.length === 0 ? [] : [`Prices older than 10 minutes: ${coins.join(", ")}.`]

/** Returns a note on the coins that have no recorded data in the last hours. Returns no note if `coins` is empty. */
export const missingHoursNotes = (coins: ReadonlyArray<string>): ReadonlyArray<string> =>
  coins.length === 0
    ? []
    : [`The last hours of these coins were not recorded, so their latest moves are unknown: ${coins.join(", ")}.`]

export const isLagging = (until: number): Effect.Effect<boolean> =>
  Effect.map(Clock.currentTimeMillis, (now) => Math.floor(now / hourMs) * hourMs - until >= maxLagMs)

export const lagNotes = (until: number): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(isLagging(until), (isOld) => isOld ? [`No hour after ${formatInstant(until)} is recorded.`] : [])

/** Returns a note if a coin's candles have ended, or if the newest candle is late. */
export const barNotes = (
  coin: string,
  { delistedAt, end, isLate }: Pick<ClosedBars, "delistedAt" | "end" | "isLate">
): ReadonlyArray<string> =>
  delistedAt !== null
    ? [`${coin} stopped trading at ${formatInstant(delistedAt)}: these values are of its last recorded candle.`]
    : isLate
    ? [`No candle after ${formatInstant(end)} is recorded.`]
    : []
