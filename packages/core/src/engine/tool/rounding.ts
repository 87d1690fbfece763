/** Rounding of results: to the precision of the data, and so that identities which a reader can check still hold. */

/** Rounds a computed number for results. */
export type Rounding = (value: number) => number

/** Rounds to a number of decimals, halves away from 0 as far as binary fractions allow; never returns -0. */
export const roundToDecimals = (count: number): Rounding => {
  const scale = 10 ** count
  return (value) => {
    const scaled = value * scale
    // A number this large has no decimals that a double can keep.
    if (!(Math.abs(scaled) < Number.MAX_SAFE_INTEGER)) return value
    return Math.sign(scaled) * Math.round(Math.abs(scaled)) / scale || 0
  }
}

/** Rounds to a number of significant digits, at most 15. */
export const roundToDigits = (count: number): Rounding => {
  const limit = 10 ** count
  return (value) => {
    // Numbers that already have few digits, such as most prices, are detected without formatting them.
    const tenThousandths = Math.round(value * 10_000)
    const isRounded = tenThousandths / 10_000 === value && Math.abs(tenThousandths) < limit
    return (isRounded ? value : Number(value.toPrecision(count))) || 0
  }
}

/** Amounts and prices: removes the error of binary fractions from decimal numbers. */
export const amount = roundToDigits(12)
/** Levels that are computed from prices, which have about six significant digits. */
export const level = roundToDigits(8)
/** Percentages, to a hundredth of a basis point. */
export const percent = roundToDecimals(4)
/** Points of a scale, such as 0 to 100. */
export const points = roundToDecimals(4)
/** Fractions, probabilities, ratios. */
export const fraction = roundToDecimals(6)

/**
 * Rounds the parts of a total to `count` decimals so that they add up to the rounded total. The largest part absorbs
 * the difference. Each part is off by less than one unit of the last decimal per part.
 */
export const roundParts = (values: ReadonlyArray<number>, total: number, count: number): ReadonlyArray<number> => {
  const round = roundToDecimals(count)
  const rounded = values.map(round)
  let largest = 0
  for (let i = 1; i < values.length; i++) if (Math.abs(values[i]!) > Math.abs(values[largest]!)) largest = i
  const rest = round(total) - rounded.reduce((sum, value) => sum + value, 0)
  return rounded.map((value, i) => i === largest ? round(value + rest) : value)
}
