/**
 * Rounding of results: to what a datum carries, and so that identities which a reader can check still hold.
 */

/** A number as results have it, from one as it was computed. */
export type Rounding = (value: number) => number

/** To a number of decimals, halves away from 0 as far as binary fractions know them; never -0. */
export const decimals = (count: number): Rounding => {
  const scale = 10 ** count
  return (value) => {
    const scaled = value * scale
    // A number this large has no decimals to lose, or none that it could keep.
    if (!(Math.abs(scaled) < Number.MAX_SAFE_INTEGER)) return value
    return Math.sign(scaled) * Math.round(Math.abs(scaled)) / scale || 0
  }
}

/** To a number of significant digits, at most 15. */
export const digits = (count: number): Rounding => {
  const beyond = 10 ** count
  return (value) => {
    // What is a decimal number of so few digits already, as most prices are, is found without writing it.
    const tenThousandths = Math.round(value * 10_000)
    const isWritten = tenThousandths / 10_000 === value && Math.abs(tenThousandths) < beyond
    return (isWritten ? value : Number(value.toPrecision(count))) || 0
  }
}

/** Amounts and prices as they are traded: what binary fractions add to a decimal number goes. */
export const amount = digits(12)
/** Levels that are computed from prices: prices carry about six digits. */
export const level = digits(8)
/** Percentages: to a hundredth of a basis point. */
export const percent = decimals(4)
/** Points of a scale, such as 0 to 100. */
export const points = decimals(4)
/** Fractions, probabilities, ratios. */
export const fraction = decimals(6)

/**
 * Parts of a rounded total, rounded to as many decimals, that add up to it: what rounding leaves goes to the largest
 * part, so that each is off by less than a unit of the last decimal for each part.
 */
export const parts = (values: ReadonlyArray<number>, total: number, count: number): ReadonlyArray<number> => {
  const round = decimals(count)
  const rounded = values.map(round)
  let largest = 0
  for (let i = 1; i < values.length; i++) if (Math.abs(values[i]!) > Math.abs(values[largest]!)) largest = i
  const rest = round(total) - rounded.reduce((sum, value) => sum + value, 0)
  return rounded.map((value, i) => i === largest ? round(value + rest) : value)
}
