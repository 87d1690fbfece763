/** A range of values and the positions of its axis marks. */
export interface Scale {
  readonly min: number
  readonly max: number
  readonly step: number
  readonly marks: ReadonlyArray<number>
}

/** Returns the smallest and the largest number, ignoring NaN; null if there are no numbers. */
export const extent = (...columns: ReadonlyArray<Iterable<number>>): readonly [number, number] | null => {
  let [low, high] = [Infinity, -Infinity]
  for (const column of columns) {
    for (const value of column) {
      if (value < low) low = value
      if (value > high) high = value
    }
  }
  return low <= high ? [low, high] : null
}

const steps = [1, 2, 2.5, 5, 10]

/** Returns a round step that divides a span into about `count` parts. */
const roundStep = (span: number, count: number): number => {
  const rough = span / count
  const power = 10 ** Math.floor(Math.log10(rough))
  return power * (steps.find((one) => one * power >= rough * 0.999) ?? 10)
}

/**
 * Makes the scale of a range of values, with marks at round numbers. `room` is the margin on each side, as a share of
 * the range.
 */
export const scaleOf = ([low, high]: readonly [number, number], count: number, room = 0.06): Scale => {
  const size = Math.max(Math.abs(low), Math.abs(high))
  // Equal values get a range of about a thousandth on each side, and zeros of about one half. They appear as a line in
  // the middle.
  const span = high - low > size * 1e-9 ? high - low : size > 0 ? size * 0.002 : 1
  const middle = (low + high) / 2
  const half = Math.max(high - low, span) / 2 + span * room
  const [min, max] = [middle - half, middle + half]
  const step = roundStep(max - min, count)
  const marks: Array<number> = []
  for (let k = Math.ceil(min / step); k * step <= max && marks.length < 50; k++) marks.push(k * step)
  return { min, max, step, marks }
}

/** Returns the number of decimals with which the marks of a step differ. */
export const stepDecimals = (step: number): number => {
  const decimals = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9))
  // A step of 2.5 times a power of ten needs one decimal more than the power.
  const scaled = step * 10 ** decimals
  return Math.min(18, Math.abs(scaled - Math.round(scaled)) > 1e-6 ? decimals + 1 : decimals)
}
