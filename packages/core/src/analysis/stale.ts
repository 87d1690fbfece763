import { Clock, Effect } from "effect"
import { instant } from "../engine/tool/result.ts"
import { hourMs, minuteMs } from "../market/timeframe.ts"
import type { ClosedBars } from "./signals/closedBars.ts"
import { lagMs } from "./signals/lag.ts"

/** What lags behind the newest of its kind by more is told. */
const staleMs = 10 * minuteMs

/** The coins whose prices lag behind the newest one. */
export const staleAmong = (
  tickers: ReadonlyArray<{ readonly coin: string; readonly time: number }>
): ReadonlyArray<string> => {
  const newest = Math.max(...tickers.map(({ time }) => time))
  return tickers.filter(({ time }) => time < newest - staleMs).map(({ coin }) => coin)
}

/** The note on them, if there are any. */
export const staleNotes = (coins: ReadonlyArray<string>): ReadonlyArray<string> =>
  coins.length === 0 ? [] : [`Prices that lag by more than 10 minutes: ${coins.join(", ")}.`]

/** The note on coins of which none of the last hours is recorded, if there are any. */
export const silentNotes = (coins: ReadonlyArray<string>): ReadonlyArray<string> =>
  coins.length === 0
    ? []
    : [`None of the last hours of these is recorded, and what happened in them is not known: ${coins.join(", ")}.`]

/** Whether what is known up to an hour is older than is waited for. */
export const isOld = (until: number): Effect.Effect<boolean> =>
  Effect.map(Clock.currentTimeMillis, (now) => Math.floor(now / hourMs) * hourMs - until >= lagMs)

/** The note on what is known up to an hour that long ago. */
export const oldNotes = (until: number): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(isOld(until), (old) => old ? [`No hour after ${instant(until)} is recorded.`] : [])

/** The note on closed candles of which no new one is to come, or is late. */
export const barNotes = (
  coin: string,
  { diedAt, end, late }: Pick<ClosedBars, "diedAt" | "end" | "late">
): ReadonlyArray<string> =>
  diedAt !== null
    ? [`${coin} ceased to trade at ${instant(diedAt)}: these are of its last recorded candle.`]
    : late
    ? [`No candle after ${instant(end)} is recorded.`]
    : []
