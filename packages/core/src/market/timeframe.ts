/**
 * Defines the lengths of candles, and computes when a candle opens.
 *
 * Every time in the market folder is in milliseconds since 1970-01-01T00:00Z (UTC, no leap seconds). Fields with a time
 * are named `time` or end in `At`, and durations end in `Ms`.
 */

/** The lengths of a coin's candles. Each length divides the next length without remainder. */
export const timeframes = ["5m", "15m", "1h", "4h", "1d"] as const
export type Timeframe = (typeof timeframes)[number]

/** The lengths of an equity's candles. */
export const equityTimeframes = ["15m", "1h", "1d", "1w"] as const
export type EquityTimeframe = (typeof equityTimeframes)[number]

export const minuteMs = 60_000
export const hourMs = 3_600_000
export const dayMs = 86_400_000
export const weekMs = 7 * dayMs

/**
 * The calendar length of a timeframe in milliseconds. An equity's `1d` also has 24 hours, although a session is
 * shorter.
 */
export const durationMs: Readonly<Record<Timeframe | EquityTimeframe, number>> = {
  "5m": 5 * minuteMs,
  "15m": 15 * minuteMs,
  "1h": hourMs,
  "4h": 4 * hourMs,
  "1d": dayMs,
  "1w": weekMs
}

/** 1970-01-01 was a Thursday, so the first Monday was four days later. */
const firstMondayMs = 4 * dayMs

/** Returns the opening time of the candle that contains `time`. Days begin at 00:00 UTC, and weeks begin on Monday. */
export const bucketStart = (timeframe: Timeframe | EquityTimeframe, time: number): number => {
  const length = durationMs[timeframe]
  const origin = timeframe === "1w" ? firstMondayMs : 0
  return Math.floor((time - origin) / length) * length + origin
}
