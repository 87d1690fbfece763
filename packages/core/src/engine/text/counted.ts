/** Formats a count with its noun: `1 candle`, `2 candles`. */
export const counted = (n: number, thing: string): string => `${n} ${thing}${n === 1 ? "" : "s"}`
