import { assert } from "@effect/vitest"
import { dayMs, type OptionChain, type OptionExpiry, type OptionQuote } from "@tapeline/core/market"
import { black76 } from "./black76.ts"
import { ascend, isWritable } from "./suite.ts"

/** Tolerances of a price for rounded volatilities and coarse ticks, as fractions of the spot and of the price. */
const slack = { ofSpot: 0.0005, ofPrice: 0.01 }

/** Checks that a mark matches its volatility, and is near its bid and ask. */
const isMarked = (chain: OptionChain, expiry: OptionExpiry, quote: OptionQuote): void => {
  const { ask, bid, ivPct, mark, strike, type } = quote
  if (mark === null) return
  assert.isAtLeast(mark, 0)
  const near = slack.ofSpot * chain.spot + slack.ofPrice * mark
  if (bid !== null) assert.isAtLeast(mark, bid - near, quote.instrument)
  if (ask !== null) assert.isAtMost(mark, ask + near, quote.instrument)
  const { discount, exercise, expiryAt, forward } = expiry
  const exercised = type === "call" ? chain.spot - strike : strike - chain.spot
  if (exercise === "american") assert.isAtLeast(mark, exercised - near, quote.instrument)
  if (ivPct === null || forward === null || discount === null) return
  const years = (expiryAt - chain.time) / (365 * dayMs)
  const undiscounted = black76({ forward, strike, years, sigma: ivPct / 100, type })
  if (exercise === "european") {
    assert.isAtMost(Math.abs(mark - discount * undiscounted), near, quote.instrument)
    return
  }
  assert.isAtLeast(mark, discount * undiscounted - near, quote.instrument)
  assert.isAtMost(mark, 1.1 * Math.max(undiscounted, exercised) + near, quote.instrument)
}

/** Checks that reported values are not negative and not all 0, because 0 must not replace a missing value. */
export const areTold = (values: ReadonlyArray<number | null>, what: string): void => {
  const told = values.filter((value) => value !== null)
  assert.isTrue(told.every((value) => value >= 0), what)
  if (told.length > 0) assert.isTrue(told.some((value) => value > 0), `${what} is 0 everywhere`)
}

/**
 * Checks a chain: expiries in order, then strikes with calls before puts. Prices must be possible and match the option
 * model.
 */
export const isChain = (chain: OptionChain): void => {
  isWritable(chain)
  assert.isAbove(chain.spot, 0)
  assert.isAbove(chain.multiplier, 0)
  assert.isAbove(chain.expiries.length, 0)
  ascend(chain.expiries.map(({ expiryAt }) => expiryAt))
  for (const expiry of chain.expiries) {
    const { discount, expiryAt, forward, quotes } = expiry
    assert.isAbove(expiryAt, chain.time)
    if (forward !== null) assert.isBelow(Math.abs(Math.log(forward / chain.spot)), 0.5)
    if (discount !== null) assert.isTrue(discount > 0.5 && discount < 1.1)
    ascend(quotes.map(({ strike, type }) => 2 * strike + (type === "put" ? 1e-9 : 0)))
    for (const quote of quotes) {
      const { ask, bid, ivPct } = quote
      assert.isAbove(quote.strike, 0)
      if (bid !== null) assert.isAbove(bid, 0)
      if (ask !== null) assert.isAtLeast(ask, bid ?? 0)
      if (forward === null) assert.isNull(ivPct)
      if (ivPct !== null) assert.isTrue(ivPct > 0 && ivPct < 2_000)
      isMarked(chain, expiry, quote)
    }
  }
  const all = chain.expiries.flatMap(({ quotes }) => quotes)
  areTold(all.map(({ mark }) => mark), "mark")
  areTold(all.map(({ openInterest }) => openInterest), "openInterest")
  assert.isTrue(all.every(({ volume24h }) => volume24h === null || volume24h >= 0))
}
