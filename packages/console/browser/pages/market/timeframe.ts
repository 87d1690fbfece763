/** The length of each candle. */
export const timeframes = {
  "5m": { ms: 300_000 },
  "15m": { ms: 900_000 },
  "1h": { ms: 3_600_000 },
  "4h": { ms: 14_400_000 },
  "1d": { ms: 86_400_000 }
} as const

export type Timeframe = keyof typeof timeframes

// In the order above.
export const allTimeframes = Object.keys(timeframes) as ReadonlyArray<Timeframe>

/** The timeframe in an address; one hour if the address contains no valid one. */
export const parseTimeframe = (text: string | null): Timeframe => allTimeframes.find((one) => one === text) ?? "1h"
