/** The length of one candle in each timeframe, in ms. */
export const timeframes = {
  "5m": { ms: 300_000 },
  "15m": { ms: 900_000 },
  "1h": { ms: 3_600_000 },
  "4h": { ms: 14_400_000 },
  "1d": { ms: 86_400_000 }
} as const

export type Timeframe = keyof typeof timeframes

// The cast is safe because `Object.keys` returns the keys of the object, in the object's order, typed as `string`.
export const allTimeframes = Object.keys(timeframes) as ReadonlyArray<Timeframe>

/** Returns the timeframe from a query parameter; one hour if the parameter contains no valid timeframe. */
export const parseTimeframe = (text: string | null): Timeframe => allTimeframes.find((one) => one === text) ?? "1h"
