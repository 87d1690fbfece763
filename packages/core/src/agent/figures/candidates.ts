import type { StatedNumber, Unit } from "./numbers.ts"
import type { Level, SourceIndex, SourceValue, ValueUnit } from "./sources.ts"

/** A value of a result that rounds to a number of the text. */
export interface Candidate {
  readonly source: SourceValue
  /** The value in the unit of the text, without its sign. */
  readonly value: number
}

/** The units of values that a number of the text may state, with the factor between the value and the number. */
const conversions: Readonly<
  Record<Unit, ReadonlyArray<readonly [factor: number, ...units: ReadonlyArray<ValueUnit>]>>
> = {
  percent: [[1, "percent", "number"], [100, "number"], [0.01, "bps"]],
  bps: [[1, "bps", "number"], [100, "percent"], [10_000, "number"]],
  money: [[1, "money", "number", "text"]],
  plain: [[1, "number", "money", "percent", "bps", "text", "count"]]
}

/** The maximum number of candidates of a number. Numbers with more candidates match by chance. */
const maxCandidates = 200

/** Returns the position of the first value whose absolute value is at least `bound`. */
const findFrom = (values: ReadonlyArray<SourceValue>, bound: number): number => {
  let low = 0
  let high = values.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (Math.abs(values[middle]!.value) < bound) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the values that round to a number of the text. A number without a sign also states a negative value. */
export const findCandidates = (
  { values }: SourceIndex,
  { readings, sign, unit }: StatedNumber
): ReadonlyArray<Candidate> => {
  const found: Array<Candidate> = []
  for (const { tolerance, value } of readings) {
    const slack = tolerance + 1e-9 * value
    for (const [factor, ...units] of conversions[unit]) {
      for (const valueUnit of units) {
        if (valueUnit === "count" && tolerance !== 0.5) continue
        const all = values[valueUnit][2]
        for (let i = findFrom(all, (value - slack) / factor); i < all.length && found.length < maxCandidates; i++) {
          const source = all[i]!
          const converted = Math.abs(source.value) * factor
          if (converted > value + slack) break
          if (sign === 0 || source.value === 0 || Math.sign(source.value) === sign) {
            found.push({ source, value: converted })
          }
        }
      }
    }
  }
  return found
}

/**
 * Estimates how many further values round to a number by chance, from the number's precision and the density of values
 * within 25 % of the number.
 */
export const estimateChance = (
  { values }: SourceIndex,
  { readings, unit }: StatedNumber,
  level: Level,
  precision = 1
): number => {
  let chance = 0
  for (const { tolerance, value } of readings) {
    if (value === 0) continue
    let count = 0
    for (const [factor, ...units] of conversions[unit]) {
      for (const valueUnit of units) {
        if (valueUnit === "count" && tolerance !== 0.5) continue
        const list = values[valueUnit][level]
        count += findFrom(list, value * 1.25 / factor) - findFrom(list, value * 0.75 / factor)
      }
    }
    chance += Math.max(0, count - 1) * tolerance / precision / (0.25 * value)
  }
  return chance
}
