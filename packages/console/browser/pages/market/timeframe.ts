/** The length of one candle in each timeframe, in ms. */
export const timeframes = {
  "5m": { ms: 300_000 },
  "15m": { ms: 900_000 },
  "1h": { ms: 3_600_000 },
  "4h": { ms: 14_400_000 },
  "1d": { ms: 86_400_000 }
} as const

export type Timeframe = keyof typeof timeframes

// `Object.keys` returns plain strings, in the order of the object.
export const allTimeframes = Object.keys(timeframes) as ReadonlyArray<Timeframe>

/** Returns the timeframe from a query parameter; one hour if the parameter contains no valid timeframe. */
export const parseTimeframe = (text: string | null): Timeframe => allTimeframes.find((one) => one === text) ?? "1h"
