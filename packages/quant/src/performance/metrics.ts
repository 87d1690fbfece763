import { checkFinite, checkFiniteSeries, checkInteger, checkPositive, type Series } from "../check.ts"

/** Returns the mean and the sum of squared deviations of a sample, which is exactly 0 if all values are equal. */
export function getMeanAndSquares(x: Series): { mean: number; square: number } {
  let varies = false
  let mean = 0
  let square = 0
  for (let i = 0; i < x.length; i++) {
    if (x[i] !== x[0]) varies = true
    const deviationBefore = x[i]! - mean
    mean += deviationBefore / (i + 1)
    square += deviationBefore * (x[i]! - mean)
  }
  return varies ? { mean, square } : { mean: x[0] ?? 0, square: 0 }
}

function checkReturns(where: string, returns: Series): void {
  checkFiniteSeries(where, "returns", returns)
  for (let i = 0; i < returns.length; i++) {
    if (returns[i]! < -1) {
      throw new RangeError(`${where}: returns[${i}] is ${returns[i]}; a return cannot be below -1 (0.01 = 1 %)`)
    }
  }
}

/**
 * Sharpe ratio, annualised.
 *
 * Formula: `mean(r - rf) / sd(r) * sqrt(periodsPerYear)`, with the sample standard deviation (divisor n - 1). `rf` is
 * the risk-free return per period, `riskFree`. Unit: none. Returns null if there are fewer than 2 returns, or if all
 * returns are equal.
 * Source: Sharpe, The Sharpe Ratio (1994); empyrical.
 *
 * @throws RangeError when a return is not finite or periodsPerYear is not above 0.
 * @example
 * import { sharpe } from "@tapeline/quant"
 * sharpe([0.01, 0.1, -0.04, 0.02, 0.03, 0.02, 0.01, -0.1], 252) // => 1.723861396171
 */
export function sharpe(returns: Series, periodsPerYear: number, riskFree = 0): number | null {
  checkFiniteSeries("sharpe", "returns", returns)
  checkPositive("sharpe", "periodsPerYear", periodsPerYear)
  checkFinite("sharpe", "riskFree", riskFree)
  const { mean, square } = getMeanAndSquares(returns)
  if (returns.length < 2 || !(square > 0)) return null
  return ((mean - riskFree) / Math.sqrt(square / (returns.length - 1))) * Math.sqrt(periodsPerYear)
}

/**
 * Sortino ratio, annualised.
 *
 * Formula: `mean(r - mar) / sqrt(mean(min(r - mar, 0)^2)) * sqrt(periodsPerYear)`. `mar` is the minimum acceptable
 * return per period. The root mean square is taken over all periods, including those with returns above `mar`. Unit:
 * none. Returns null if there are no returns, or if no return is below `mar`.
 * Source: Sortino and van der Meer, Downside Risk (1991); empyrical.
 *
 * @throws RangeError as {@link sharpe}.
 * @example
 * import { sortino } from "@tapeline/quant"
 * sortino([0, 0.01, 0.1, -0.04, 0.02, 0.03, 0.02, 0.01, -0.1], 52) // => 1.115890105686644
 */
export function sortino(returns: Series, periodsPerYear: number, mar = 0): number | null {
  checkFiniteSeries("sortino", "returns", returns)
  checkPositive("sortino", "periodsPerYear", periodsPerYear)
  checkFinite("sortino", "mar", mar)
  let sum = 0
  let square = 0
  for (let i = 0; i < returns.length; i++) {
    const excess = returns[i]! - mar
    sum += excess
    if (excess < 0) square += excess * excess
  }
  const n = returns.length
  return square > 0 ? (sum / n / Math.sqrt(square / n)) * Math.sqrt(periodsPerYear) : null
}

/**
 * Maximum drawdown.
 *
 * Formula: the minimum of `equity / highest equity so far - 1`, where equity is the product of 1 + r. The starting
 * equity of 1 counts as a high. Unit: a negative fraction (-0.1 = 10 % down); 0 without a loss or without returns.
 * Source: empyrical, max_drawdown.
 *
 * @throws RangeError when a return is not finite or below -1.
 * @example
 * import { maxDrawdown } from "@tapeline/quant"
 * maxDrawdown([0.01, 0.1, -0.04, 0.02, 0.03, 0.02, 0.01, -0.1]) // => -0.1
 */
export function maxDrawdown(returns: Series): number {
  checkReturns("maxDrawdown", returns)
  let equity = 1
  let high = 1
  let worst = 0
  for (let i = 0; i < returns.length; i++) {
    equity *= 1 + returns[i]!
    if (equity > high) high = equity
    else worst = Math.min(worst, equity / high - 1)
  }
  return worst
}

/**
 * Compound annual growth rate.
 *
 * Formula: `end^(periodsPerYear / n) - 1`, where end is the product of 1 + r. Unit: 0.1 = 10 % per year. Returns null
 * if there are no returns, or if the growth over one year exceeds the range of numbers. A short sample with high
 * returns can exceed the range of numbers. The result is -1 after a total loss.
 * Source: empyrical, cagr.
 *
 * @throws RangeError when a return is not finite or below -1, or periodsPerYear is not above 0.
 * @example
 * import { cagr } from "@tapeline/quant"
 * cagr([0, 0.01, 0.1, -0.04, 0.02, 0.03, 0.02, 0.01, -0.1], 52) // => 0.246908305140
 * cagr([0.01, 0.01, 0.01], 525600) // => null
 */
export function cagr(returns: Series, periodsPerYear: number): number | null {
  checkReturns("cagr", returns)
  checkPositive("cagr", "periodsPerYear", periodsPerYear)
  if (returns.length === 0) return null
  let end = 1
  for (let i = 0; i < returns.length; i++) end *= 1 + returns[i]!
  const rate = end ** (periodsPerYear / returns.length) - 1
  return Number.isFinite(rate) ? rate : null
}

/**
 * Calmar ratio: growth relative to the worst drawdown.
 *
 * Formula: `cagr / |maxDrawdown|`. Unit: none. Returns null without a drawdown or if {@link cagr} is null.
 * Source: Young, Calmar Ratio: A Smoother Tool (1991).
 *
 * @throws RangeError as {@link cagr}.
 * @example
 * import { calmar } from "@tapeline/quant"
 * calmar([0, 0.01, 0.1, -0.04, 0.02, 0.03, 0.02, 0.01, -0.1], 52) // => 2.469083
 */
export function calmar(returns: Series, periodsPerYear: number): number | null {
  const growth = cagr(returns, periodsPerYear)
  const drawdown = maxDrawdown(returns)
  return growth === null || drawdown === 0 ? null : growth / -drawdown
}

/**
 * Profit factor: the gains divided by the losses.
 *
 * Formula: `sum of the gains / |sum of the losses|`, of trades or of periods. Unit: none. Returns null without losses.
 * Source: QuantStats, profit_factor.
 *
 * @throws RangeError when a return is not finite.
 * @example
 * import { profitFactor } from "@tapeline/quant"
 * profitFactor([0.01, -0.02, 0.03, -0.01, 0.02]) // => 2
 * profitFactor([0.01, 0.02]) // => null
 */
export function profitFactor(returns: Series): number | null {
  checkFiniteSeries("profitFactor", "returns", returns)
  let gains = 0
  let losses = 0
  for (let i = 0; i < returns.length; i++) {
    if (returns[i]! > 0) gains += returns[i]!
    else losses -= returns[i]!
  }
  return losses > 0 ? gains / losses : null
}

/**
 * Win rate over the non-zero returns.
 *
 * Formula: `count(r > 0) / count(r != 0)`. Unit: a number from 0 to 1. Returns null without non-zero returns.
 * Source: QuantStats, win_rate.
 *
 * @throws RangeError when a return is not finite.
 * @example
 * import { winRate } from "@tapeline/quant"
 * winRate([0.01, -0.02, 0, 0.03, -0.01, 0.02]) // => 0.6
 */
export function winRate(returns: Series): number | null {
  checkFiniteSeries("winRate", "returns", returns)
  let wins = 0
  let nonZeroCount = 0
  for (let i = 0; i < returns.length; i++) {
    if (returns[i] === 0) continue
    nonZeroCount++
    if (returns[i]! > 0) wins++
  }
  return nonZeroCount === 0 ? null : wins / nonZeroCount
}

/**
 * t statistic of a sample's mean against 0.
 *
 * Formula: `mean / (sd / sqrt(n))`, with the sample standard deviation. Unit: none. Returns null if there are fewer
 * than 2 values, or if all values are equal.
 * Source: Student (1908).
 *
 * @throws RangeError when a value is not finite.
 * @example
 * import { tStatistic } from "@tapeline/quant"
 * tStatistic([0.01, 0.02, 0.03]) // => 3.4641
 */
export function tStatistic(x: Series): number | null {
  checkFiniteSeries("tStatistic", "x", x)
  const n = x.length
  const { mean, square } = getMeanAndSquares(x)
  return n < 2 || !(square > 0) ? null : mean / Math.sqrt(square / (n - 1) / n)
}

/**
 * Thins a series to a number of evenly spaced points, including the first and the last.
 *
 * Formula: point j is value `round(j (n - 1) / (points - 1))`. Unit: the unit of x. A series with fewer points is
 * returned unchanged.
 * Source: definition.
 *
 * @throws RangeError when points is not a whole number of at least 2.
 * @example
 * import { thin } from "@tapeline/quant"
 * thin([0, 1, 2, 3, 4, 5, 6, 7, 8], 3) // => [0, 4, 8]
 */
export function thin(x: Series, points: number): Float64Array {
  checkInteger("thin", "points", points, 2)
  if (x.length <= points) return Float64Array.from(x)
  const out = new Float64Array(points)
  for (let j = 0; j < points; j++) out[j] = x[Math.round((j * (x.length - 1)) / (points - 1))]!
  return out
}
