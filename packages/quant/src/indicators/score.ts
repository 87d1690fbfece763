import { checkNotNegative, checkWithin } from "../check.ts"

/** A factor of a {@link compositeScore}: a view in [-1, 1], or null if the factor is not available. */
export interface Factor {
  readonly name: string
  readonly weight: number
  readonly value: number | null
}

/** The result of {@link compositeScore}. */
export interface CompositeScore {
  /** The score from -100 to 100, or null if no factor is available. */
  readonly score: number | null
  /** The share of the total weight that belongs to available factors, from 0 to 1. */
  readonly coverage: number
  /** The contributions of the factors, which add up to the score, with null for a missing factor. */
  readonly contributions: ReadonlyArray<{ readonly name: string; readonly contribution: number | null }>
}

/**
 * Weighted score of all available factors.
 *
 * Formula: `100 * sum(w f) / sum(w)`. Unit: a number from -100 to 100. A missing factor (null) is excluded from the two
 * sums and never counts as 0. `coverage` is the share of the weight that belongs to available factors.
 * Source: weighted mean.
 *
 * @throws RangeError when a weight is negative or not finite, or a value is outside [-1, 1].
 * @example
 * import { compositeScore } from "@tapeline/quant"
 * const { score, coverage } = compositeScore([
 *   { name: "trend", weight: 3, value: 0.5 },
 *   { name: "funding", weight: 1, value: -0.5 },
 *   { name: "flow", weight: 4, value: null }
 * ])
 * score // => 25
 * coverage // => 0.5
 */
export function compositeScore(factors: ReadonlyArray<Factor>): CompositeScore {
  let totalWeight = 0
  let availableWeight = 0
  let sum = 0
  for (const { name, weight, value } of factors) {
    checkNotNegative("compositeScore", `weight of ${name}`, weight)
    totalWeight += weight
    if (value === null) continue
    checkWithin("compositeScore", `value of ${name}`, value, -1, 1)
    availableWeight += weight
    sum += weight * value
  }
  return {
    score: availableWeight > 0 ? (100 * sum) / availableWeight : null,
    coverage: totalWeight > 0 ? availableWeight / totalWeight : 0,
    contributions: factors.map(({ name, weight, value }) => ({
      name,
      contribution: value === null || availableWeight === 0 ? null : (100 * weight * value) / availableWeight
    }))
  }
}
