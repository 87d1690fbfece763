import { checkPositive, checkPositiveSeries, checkSameLength, checkWithin, type Series } from "../check.ts"

/** A series of price bars, oldest first. All four arrays have the same length. */
export interface Ohlc {
  readonly open: Series
  readonly high: Series
  readonly low: Series
  readonly close: Series
}

function checkOhlc(where: string, bars: Ohlc, periodsPerYear: number): number {
  const { open, high, low, close } = bars
  checkPositive(where, "periodsPerYear", periodsPerYear)
  checkSameLength(where, "open, high, low and close", close.length, open, high, low)
  checkPositiveSeries(where, "open", open)
  checkPositiveSeries(where, "high", high)
  checkPositiveSeries(where, "low", low)
  checkPositiveSeries(where, "close", close)
  for (let i = 0; i < close.length; i++) {
    if (high[i]! < Math.max(open[i]!, close[i]!) || low[i]! > Math.min(open[i]!, close[i]!)) {
      throw new RangeError(
        `${where}: bar ${i} is not a valid bar: open ${open[i]}, high ${high[i]}, low ${low[i]}, close ${close[i]}`
      )
    }
  }
  return close.length
}

/**
 * Realised volatility from close to close.
 *
 * Formula: `sd(ln(p[i] / p[i - 1])) * sqrt(periodsPerYear)`, with the sample standard deviation (divisor n - 1) about
 * the mean. Unit: 1.00 = 100 % per year. For daily prices, `periodsPerYear` is 365 for crypto and 252 for equities.
 * Returns null if there are fewer than 3 prices, and 0 if all prices are equal.
 * Source: Hull, Options, Futures and Other Derivatives, "Estimating volatility from historical data".
 *
 * @throws RangeError when a price is not finite and above 0, or periodsPerYear is not above 0.
 * @example
 * import { realisedVolatility } from "@tapeline/quant"
 * realisedVolatility([35, 38, 41, 37, 33, 32], 12) // => 0.3264
 */
export function realisedVolatility(prices: Series, periodsPerYear: number): number | null {
  checkPositive("realisedVolatility", "periodsPerYear", periodsPerYear)
  checkPositiveSeries("realisedVolatility", "prices", prices)
  const n = prices.length - 1
  if (n < 2) return null
  let mean = 0
  let square = 0
  for (let i = 1; i <= n; i++) {
    const r = Math.log(prices[i]! / prices[i - 1]!)
    const deviationBefore = r - mean
    mean += deviationBefore / i
    square += deviationBefore * (r - mean)
  }
  return Math.sqrt((square / (n - 1)) * periodsPerYear)
}

/**
 * Standard error of {@link realisedVolatility}, as a share of the volatility.
 *
 * Formula: `sqrt((k - 1) / (4 n))`, for n returns with the kurtosis `k = m4 / m2^2` about their mean. The formula
 * applies the delta method to the variance of a sample variance, `(m4 - m2^2) / n`. Returns are assumed to be
 * independent. The standard error is `1 / sqrt(2 n)` for normal returns, and larger for fat tails.
 * Unit: 0.05 = 5 % of the volatility. Returns null for fewer than 3 prices or a flat series.
 * Source: Kendall and Stuart, The Advanced Theory of Statistics, vol. 1, 10.9 and 10.15.
 *
 * @throws RangeError when a price is not finite and above 0.
 * @example
 * import { volatilityError } from "@tapeline/quant"
 * volatilityError([35, 38, 41, 37, 33, 32]) // => 0.1131
 */
export function volatilityError(prices: Series): number | null {
  checkPositiveSeries("volatilityError", "prices", prices)
  const n = prices.length - 1
  if (n < 2) return null
  const mean = Math.log(prices[n]! / prices[0]!) / n
  let m2 = 0
  let m4 = 0
  for (let i = 1; i <= n; i++) {
    const square = (Math.log(prices[i]! / prices[i - 1]!) - mean) ** 2
    m2 += square / n
    m4 += square * square / n
  }
  return m2 > 0 ? Math.sqrt(Math.max(0, m4 / (m2 * m2) - 1) / (4 * n)) : null
}

/**
 * Parkinson's volatility, from the ranges of bars.
 *
 * Formula: `sqrt(mean(ln(high / low)^2) / (4 ln 2) * periodsPerYear)`. Unit: 1.00 = 100 % per year. The estimator
 * assumes no drift and no gaps between bars. Parkinson's estimator is about five times as efficient as the
 * close-to-close estimator. Returns null without bars.
 * Source: Parkinson, The Extreme Value Method for Estimating the Variance of the Rate of Return (1980).
 *
 * @throws RangeError when lengths differ, a price is not finite and above 0, a high is below its low, or periodsPerYear
 * is not above 0.
 * @example
 * import { parkinson } from "@tapeline/quant"
 * parkinson([102, 103], [100, 100], 365) // => 0.2887
 */
export function parkinson(high: Series, low: Series, periodsPerYear: number): number | null {
  checkPositive("parkinson", "periodsPerYear", periodsPerYear)
  checkSameLength("parkinson", "high and low", high.length, low)
  checkPositiveSeries("parkinson", "high", high)
  checkPositiveSeries("parkinson", "low", low)
  let sum = 0
  for (let i = 0; i < high.length; i++) {
    const range = Math.log(high[i]! / low[i]!)
    if (range < 0) throw new RangeError(`parkinson: high[${i}] (${high[i]}) is below low[${i}] (${low[i]})`)
    sum += range * range
  }
  return high.length === 0 ? null : Math.sqrt((sum / high.length / (4 * Math.LN2)) * periodsPerYear)
}

/**
 * Garman and Klass's volatility, from the ranges and bodies of bars.
 *
 * Formula: `sqrt(mean(0.5 ln(h / l)^2 - (2 ln 2 - 1) ln(c / o)^2) * periodsPerYear)`. Unit: 1.00 = 100 % per year. The
 * estimator assumes no drift and no gaps between bars. Garman and Klass's estimator is about seven times as efficient
 * as the close-to-close estimator. The mean is never negative, because the body of a bar is within its range. Returns
 * null without bars.
 * Source: Garman and Klass, On the Estimation of Security Price Volatilities from Historical Data (1980).
 *
 * @throws RangeError when lengths differ, a price is not finite and above 0, a bar's range does not contain its open
 * and close, or periodsPerYear is not above 0.
 * @example
 * import { garmanKlass } from "@tapeline/quant"
 * garmanKlass({ open: [100, 101], high: [102, 103], low: [100, 100], close: [101, 102] }, 365) // => 0.3189
 */
export function garmanKlass(bars: Ohlc, periodsPerYear: number): number | null {
  const n = checkOhlc("garmanKlass", bars, periodsPerYear)
  let sum = 0
  for (let i = 0; i < n; i++) {
    const range = Math.log(bars.high[i]! / bars.low[i]!)
    const body = Math.log(bars.close[i]! / bars.open[i]!)
    sum += 0.5 * range * range - (2 * Math.LN2 - 1) * body * body
  }
  return n === 0 ? null : Math.sqrt((sum / n) * periodsPerYear)
}

/**
 * Yang and Zhang's volatility, which is independent of drift and includes gaps.
 *
 * Formula: `sqrt((V_overnight + k V_open-to-close + (1 - k) V_rs) * periodsPerYear)`, with sample variances of
 * `ln(o / previous c)` and `ln(c / o)`, Rogers and Satchell's `mean(ln(h/c) ln(h/o) + ln(l/c) ln(l/o))`, and
 * `k = 0.34 / (1.34 + (n + 1) / (n - 1))`. The first bar contributes only its close. `n` is the number of bars after
 * the first bar.
 * Unit: 1.00 = 100 % per year. Returns null for fewer than 3 bars.
 * Source: Yang and Zhang, Drift-Independent Volatility Estimation Based on High, Low, Open, and Close Prices (2000).
 *
 * @throws RangeError as {@link garmanKlass}.
 * @example
 * import { yangZhang } from "@tapeline/quant"
 * const bars = { open: [100, 101, 101], high: [102, 103, 102], low: [99, 100, 100], close: [101, 102, 101] }
 * yangZhang(bars, 365) // => 0.3426
 */
export function yangZhang(bars: Ohlc, periodsPerYear: number): number | null {
  const n = checkOhlc("yangZhang", bars, periodsPerYear) - 1
  if (n < 2) return null
  const { open, high, low, close } = bars
  let gapMean = 0
  let gapSquare = 0
  let bodyMean = 0
  let bodySquare = 0
  let rs = 0
  for (let i = 1; i <= n; i++) {
    const gap = Math.log(open[i]! / close[i - 1]!)
    const body = Math.log(close[i]! / open[i]!)
    const up = Math.log(high[i]! / open[i]!)
    const down = Math.log(low[i]! / open[i]!)
    const gapBefore = gap - gapMean
    const bodyBefore = body - bodyMean
    gapMean += gapBefore / i
    bodyMean += bodyBefore / i
    gapSquare += gapBefore * (gap - gapMean)
    bodySquare += bodyBefore * (body - bodyMean)
    rs += up * (up - body) + down * (down - body)
  }
  const k = 0.34 / (1.34 + (n + 1) / (n - 1))
  const variance = gapSquare / (n - 1) + (k * bodySquare) / (n - 1) + ((1 - k) * rs) / n
  return Math.sqrt(variance * periodsPerYear)
}

/**
 * Exponentially weighted volatility, one value per price.
 *
 * Formula: `v[i] = lambda * v[i - 1] + (1 - lambda) * r[i]^2`, where the log returns r have an assumed mean of 0. The
 * first squared return is the initial variance. The result is `sqrt(v * periodsPerYear)`. Unit: 1.00 = 100 % per year.
 * The result at index 0 is NaN.
 * Source: JPMorgan and Reuters, RiskMetrics Technical Document (1996); lambda 0.94 for daily data.
 *
 * @throws RangeError when a price is not finite and above 0, periodsPerYear is not above 0, or lambda is outside [0,
 * 1].
 * @example
 * import { ewmaVolatility } from "@tapeline/quant"
 * ewmaVolatility([100, 101, 101, 103], 365) // => [NaN, 0.1901, 0.1843, 0.2009]
 */
export function ewmaVolatility(prices: Series, periodsPerYear: number, lambda = 0.94): Float64Array {
  checkPositive("ewmaVolatility", "periodsPerYear", periodsPerYear)
  checkWithin("ewmaVolatility", "lambda", lambda, 0, 1)
  checkPositiveSeries("ewmaVolatility", "prices", prices)
  const out = new Float64Array(prices.length)
  if (out.length > 0) out[0] = NaN
  let variance = 0
  for (let i = 1; i < out.length; i++) {
    const r = Math.log(prices[i]! / prices[i - 1]!)
    variance = i === 1 ? r * r : lambda * variance + (1 - lambda) * r * r
    out[i] = Math.sqrt(variance * periodsPerYear)
  }
  return out
}
