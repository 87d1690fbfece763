/** Rounding functions for numbers in results. */

/** A function that rounds a computed number. */
export type Rounding = (value: number) => number

/** Returns a function that rounds to `count` decimals. The function rounds halves away from 0, and never returns -0. */
export const roundToDecimals = (count: number): Rounding => {
  const scale = 10 ** count
  return (value) => {
    const scaled = value * scale
    // A double of this size has no decimals to round.
    if (!(Math.abs(scaled) < Number.MAX_SAFE_INTEGER)) return value
    return Math.sign(scaled) * Math.round(Math.abs(scaled)) / scale || 0
  }
}

/** Returns a function that rounds to `count` significant digits, at most 15. */
export const roundToDigits = (count: number): Rounding => {
  const limit = 10 ** count
  return (value) => {
    // Detects numbers that already have few digits, such as most prices, without formatting the numbers.
    const tenThousandths = Math.round(value * 10_000)
    const isRounded = tenThousandths / 10_000 === value && Math.abs(tenThousandths) < limit
    return (isRounded ? value : Number(value.toPrecision(count))) || 0
  }
}

/**
 * Rounds amounts and prices to 12 significant digits. The rounding removes errors of binary fractions, as in 0.1 + 0.2.
 */
export const amount = roundToDigits(12)
/** Rounds price levels to 8 significant digits. Prices have about six significant digits. */
export const level = roundToDigits(8)
/** Rounds percentages to 4 decimals. */
export const percent = roundToDecimals(4)
/** Rounds scores on a scale, such as 0 to 100, to 4 decimals. */
export const points = roundToDecimals(4)
/** Rounds fractions, probabilities and ratios. */
export const fraction = roundToDecimals(6)

/**
 * Rounds the parts of a total to `count` decimals so that the rounded parts add up to the rounded total. The largest
 * part absorbs the rounding difference. For n parts, each part changes by less than n units of the last decimal.
 */
export const roundParts = (values: ReadonlyArray<number>, total: number, count: number): ReadonlyArray<number> => {
  const round = roundToDecimals(count)
  const rounded = values.map(round)
  let largest = 0
  for (let i = 1; i < values.length; i++) if (Math.abs(values[i]!) > Math.abs(values[largest]!)) largest = i
  const rest = round(total) - rounded.reduce((sum, value) => sum + value, 0)
  return rounded.map((value, i) => i === largest ? round(value + rest) : value)
}
