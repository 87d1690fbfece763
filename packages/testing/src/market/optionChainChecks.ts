import { assert } from "@effect/vitest"
import { dayMs, type OptionChain, type OptionExpiry, type OptionQuote } from "@tapeline/core/market"
import { assertAscending, assertFiniteNumbers } from "./marketSuite.ts"

/**
 * Returns the cumulative distribution function of the standard normal distribution. The formula is Abramowitz and
 * Stegun's 26.2.17, with an absolute error below 7.5e-8. The tests need an implementation of Black's model (Black, "The
 * pricing of commodity contracts", 1976) that is independent of the tested code.
 */
const normalCdf = (x: number): number => {
  const t = 1 / (1 + 0.2316419 * Math.abs(x))
  const tail = Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI)
    * t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  return x > 0 ? 1 - tail : tail
}

export interface BlackOption {
  readonly forward: number
  readonly strike: number
  readonly years: number
  /** The volatility per year as a fraction: 1 is 100 %. */
  readonly sigma: number
  readonly type: "call" | "put"
}

export const black76 = ({ forward, sigma, strike, type, years }: BlackOption): number => {
  const deviation = sigma * Math.sqrt(years)
  const d1 = Math.log(forward / strike) / deviation + deviation / 2
  const sign = type === "call" ? 1 : -1
  return sign * (forward * normalCdf(sign * d1) - strike * normalCdf(sign * (d1 - deviation)))
}

/** The tolerances of an option price, as fractions of the spot price and of the option price. */
const tolerances = { spotFraction: 0.0005, priceFraction: 0.01 }

/** Checks that the mark price of an option matches its volatility, and is near the bid and the ask. */
const assertMark = (chain: OptionChain, expiry: OptionExpiry, quote: OptionQuote): void => {
  const { ask, bid, ivPct, mark, strike, type } = quote
  if (mark === null) return
  assert.isAtLeast(mark, 0)
  const tolerance = tolerances.spotFraction * chain.spot + tolerances.priceFraction * mark
  if (bid !== null) assert.isAtLeast(mark, bid - tolerance, quote.instrument)
  if (ask !== null) assert.isAtMost(mark, ask + tolerance, quote.instrument)
  const { discount, exercise, expiryAt, forward } = expiry
  const intrinsicValue = type === "call" ? chain.spot - strike : strike - chain.spot
  if (exercise === "american") assert.isAtLeast(mark, intrinsicValue - tolerance, quote.instrument)
  if (ivPct === null || forward === null || discount === null) return
  const years = (expiryAt - chain.time) / (365 * dayMs)
  const modelPrice = black76({ forward, strike, years, sigma: ivPct / 100, type })
  if (exercise === "european") {
    assert.isAtMost(Math.abs(mark - discount * modelPrice), tolerance, quote.instrument)
    return
  }
  assert.isAtLeast(mark, discount * modelPrice - tolerance, quote.instrument)
  assert.isAtMost(mark, 1.1 * Math.max(modelPrice, intrinsicValue) + tolerance, quote.instrument)
}

/** Checks that reported values are not negative and not all 0, because 0 must not replace a missing value. */
export const assertReportedValues = (values: ReadonlyArray<number | null>, description: string): void => {
  const reported = values.filter((value) => value !== null)
  assert.isTrue(reported.every((value) => value >= 0), description)
  if (reported.length > 0) assert.isTrue(reported.some((value) => value > 0), `${description} is 0 everywhere`)
}

/** Checks that the quotes of an option chain are sorted, possible, and consistent with the option model. */
export const assertChain = (chain: OptionChain): void => {
  assertFiniteNumbers(chain)
  assert.isAbove(chain.spot, 0)
  assert.isAbove(chain.multiplier, 0)
  assert.isAbove(chain.expiries.length, 0)
  assertAscending(chain.expiries.map(({ expiryAt }) => expiryAt))
  for (const expiry of chain.expiries) {
    const { discount, expiryAt, forward, quotes } = expiry
    assert.isAbove(expiryAt, chain.time)
    if (forward !== null) assert.isBelow(Math.abs(Math.log(forward / chain.spot)), 0.5)
    if (discount !== null) assert.isTrue(discount > 0.5 && discount < 1.1)
    assertAscending(quotes.map(({ strike, type }) => 2 * strike + (type === "put" ? 1e-9 : 0)))
    for (const quote of quotes) {
      const { ask, bid, ivPct } = quote
      assert.isAbove(quote.strike, 0)
      if (bid !== null) assert.isAbove(bid, 0)
      if (ask !== null) assert.isAtLeast(ask, bid ?? 0)
      if (forward === null) assert.isNull(ivPct)
      if (ivPct !== null) assert.isTrue(ivPct > 0 && ivPct < 2_000)
      assertMark(chain, expiry, quote)
    }
  }
  const allQuotes = chain.expiries.flatMap(({ quotes }) => quotes)
  assertReportedValues(allQuotes.map(({ mark }) => mark), "mark")
  assertReportedValues(allQuotes.map(({ openInterest }) => openInterest), "openInterest")
  assert.isTrue(allQuotes.every(({ volume24h }) => volume24h === null || volume24h >= 0))
}
