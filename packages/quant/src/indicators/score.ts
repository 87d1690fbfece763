import { checkNotNegative, checkWithin } from "../check.ts"

/** One factor of a {@link compositeScore}: a view in [-1, 1], or null if it is not available. */
export interface Factor {
  readonly name: string
  readonly weight: number
  readonly value: number | null
}

/** The result of {@link compositeScore}. */
export interface CompositeScore {
  /** -100 to 100; null when no factor is available. */
  readonly score: number | null
  /** Share of the total weight that was available, 0 to 1. */
  readonly coverage: number
  /** Each available factor's part of the score. The parts add up to the score. */
  readonly contributions: ReadonlyArray<{ readonly name: string; readonly contribution: number | null }>
}

/**
 * Weighted score of several factors, over those that are available.
 *
 * Formula: `100 * sum(w f) / sum(w)`. Unit: -100 to 100. A missing factor (null) is left out of both sums and never
 * counts as 0. `coverage` is the available share of the weight.
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
