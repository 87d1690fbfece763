import {
  checkAscendingSeries,
  checkNotNegativeSeries,
  checkPositive,
  checkPositiveSeries,
  checkSameLength,
  type Series
} from "../check.ts"

/** The open interest of one expiry by strike, in ascending order of strikes. */
export interface OpenInterest {
  readonly strikes: Series
  readonly callOi: Series
  readonly putOi: Series
}

function checkChain(where: string, { strikes, callOi, putOi }: OpenInterest): void {
  checkSameLength(where, "strikes, callOi and putOi", strikes.length, callOi, putOi)
  checkPositiveSeries(where, "strikes", strikes)
  checkAscendingSeries(where, "strikes", strikes)
  checkNotNegativeSeries(where, "callOi", callOi)
  checkNotNegativeSeries(where, "putOi", putOi)
}

/**
 * Total payout to holders if the expiry settles at each listed strike.
 *
 * Formula: `pain(s) = multiplier * sum(callOi max(0, s - K) + putOi max(0, K - s))`. Unit: currency.
 * Source: the worked table of maximum-pain.com, How to calculate max pain.
 *
 * @throws RangeError when strikes do not ascend strictly, lengths differ, open interest is negative or not finite, or
 * multiplier is not above 0.
 * @example
 * import { painByStrike } from "@tapeline/quant"
 * painByStrike({ strikes: [95, 100, 105], callOi: [9, 45, 25], putOi: [21, 33, 5] }, 100) // => [21500, 7000, 31500]
 */
export function painByStrike(chain: OpenInterest, multiplier = 1): Float64Array {
  checkChain("painByStrike", chain)
  const { strikes, callOi, putOi } = chain
  checkPositive("painByStrike", "multiplier", multiplier)
  const n = strikes.length
  const pain = new Float64Array(n)
  let openContracts = 0
  let payout = 0
  for (let i = 0; i < n; i++) {
    if (i > 0) payout += openContracts * (strikes[i]! - strikes[i - 1]!)
    pain[i] = payout
    openContracts += callOi[i]!
  }
  openContracts = 0
  payout = 0
  for (let i = n - 1; i >= 0; i--) {
    if (i < n - 1) payout += openContracts * (strikes[i + 1]! - strikes[i]!)
    pain[i] = (pain[i]! + payout) * multiplier
    openContracts += putOi[i]!
  }
  return pain
}

/**
 * Max pain: the listed strike at which the payout to holders is lowest.
 *
 * Formula: the strike of the lowest {@link painByStrike}. If several neighbouring strikes have the lowest pain, the
 * result is the strike nearest to `near`, such as the forward. Without `near`, the result is the lowest strike with the
 * lowest pain. The pain is a convex function of the strike. The slope above a strike is the number of calls held at or
 * below the strike minus the number of puts held above the strike. The minimum is the lowest strike whose slope is not
 * below 0. The search compares slopes instead of rounded payouts, so that strikes with equal pain are found. Unit: the
 * unit of the strikes. Returns null for an empty chain or a chain without open interest.
 * Source: {@link painByStrike}.
 *
 * @throws RangeError as {@link painByStrike}, or when near is not above 0.
 * @example
 * import { maxPain } from "@tapeline/quant"
 * maxPain({ strikes: [90, 100, 110], callOi: [5, 0, 0], putOi: [0, 0, 5] }, 101) // => 100
 * maxPain({ strikes: [95, 100, 105], callOi: [9, 45, 25], putOi: [21, 33, 5] }) // => 100
 */
export function maxPain(chain: OpenInterest, near?: number): number | null {
  checkChain("maxPain", chain)
  if (near !== undefined) checkPositive("maxPain", "near", near)
  const { strikes, callOi, putOi } = chain
  let puts = 0
  let total = 0
  for (let i = 0; i < strikes.length; i++) {
    puts += putOi[i]!
    total += callOi[i]! + putOi[i]!
  }
  if (total === 0) return null
  // The open interest of calls and of puts is summed in different orders, so equal sums of fractions differ by
  // rounding.
  const rounding = strikes.length * Number.EPSILON * total
  let index = 0
  let slope = callOi[0]! + putOi[0]! - puts
  while (slope < -rounding) {
    index++
    slope += callOi[index]! + putOi[index]!
  }
  if (near === undefined) return strikes[index]!
  while (slope <= rounding && index + 1 < strikes.length && isCloser(strikes[index + 1]!, strikes[index]!, near)) {
    index++
    slope += callOi[index]! + putOi[index]!
  }
  return strikes[index]!
}

const isCloser = (one: number, other: number, to: number): boolean => Math.abs(one - to) < Math.abs(other - to)

/**
 * Put/call ratio of open interest or of volume. Pass either open interest or volume, never a mixture.
 *
 * Formula: `sum(puts) / sum(calls)`. Unit: none. Returns null when there are no calls.
 * Source: CBOE, put/call ratios.
 *
 * @throws RangeError when a value is negative or not finite.
 * @example
 * import { putCallRatio } from "@tapeline/quant"
 * putCallRatio([21, 33, 5], [9, 45, 25]) // => 0.74684
 */
export function putCallRatio(puts: Series, calls: Series): number | null {
  checkNotNegativeSeries("putCallRatio", "puts", puts)
  checkNotNegativeSeries("putCallRatio", "calls", calls)
  let put = 0
  let call = 0
  for (let i = 0; i < puts.length; i++) put += puts[i]!
  for (let i = 0; i < calls.length; i++) call += calls[i]!
  return call > 0 ? put / call : null
}
