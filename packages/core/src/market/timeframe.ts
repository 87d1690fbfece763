/**
 * Timeframes: the lengths of candles, and where a candle of each length begins.
 *
 * Every instant in the market folder is a number of milliseconds since 1970-01-01T00:00Z (UTC, no leap
 * seconds); fields that hold one are called `time` or end in `At`, and durations end in `Ms`.
 */

/** Lengths of a coin's candles. Each divides the next, so that each is made of whole ones of the shorter. */
export const timeframes = ["5m", "15m", "1h", "4h", "1d"] as const
export type Timeframe = (typeof timeframes)[number]

/** Lengths of an equity's candles. */
export const equityTimeframes = ["15m", "1h", "1d", "1w"] as const
export type EquityTimeframe = (typeof equityTimeframes)[number]

/** Lengths of an equity's candles that divide its sessions. */
export type IntradayTimeframe = Extract<EquityTimeframe, "15m" | "1h">

export const minuteMs = 60_000
export const hourMs = 3_600_000
export const dayMs = 86_400_000
export const weekMs = 7 * dayMs

/** Length of a timeframe in milliseconds (a calendar length: an equity's `1d` holds one session). */
export const durationMs: Readonly<Record<Timeframe | EquityTimeframe, number>> = {
  "5m": 5 * minuteMs,
  "15m": 15 * minuteMs,
  "1h": hourMs,
  "4h": 4 * hourMs,
  "1d": dayMs,
  "1w": weekMs
}

/** 1970-01-01 was a Thursday: weeks begin on Monday 00:00 UTC, four days later. */
const firstMondayMs = 4 * dayMs

/**
 * The opening instant of the candle that holds `time`: aligned to UTC, days at 00:00, weeks on Monday.
 * A candle holds the half-open interval `[start, start + duration)`.
 */
export const bucketStart = (timeframe: Timeframe | EquityTimeframe, time: number): number => {
  const length = durationMs[timeframe]
  const origin = timeframe === "1w" ? firstMondayMs : 0
  return Math.floor((time - origin) / length) * length + origin
}
