import { assert } from "@effect/vitest"
import {
  dayMs,
  type IndexQuote,
  koreanExchanges,
  sessionState,
  type Stock,
  type StockQuote,
  usExchanges
} from "@tapeline/core/market"
import { assertFiniteNumbers } from "./marketSuite.ts"

/** The tolerance for percentages and ratios. Sources round percentages and ratios to two decimals. */
const rounding = 0.006

export const assertPercentChange = (pct: number, from: number, to: number): void =>
  assert.closeTo(pct, 100 * (to / from - 1), rounding)

export const assertStock = (stock: Stock, now: number): void => {
  assertFiniteNumbers(stock)
  const { country, currency, delistedAt, exchange, listedAt, sector, sharesOutstanding } = stock
  assert.isTrue((country === "US" ? usExchanges : koreanExchanges).some((one) => one === exchange))
  assert.strictEqual(currency, country === "US" ? "USD" : "KRW")
  assert.notStrictEqual(stock.name.trim(), "")
  assert.notStrictEqual(stock.koreanName?.trim(), "")
  if (sector !== null) assert.notStrictEqual(sector.trim(), "")
  if (sharesOutstanding !== null) assert.isAbove(sharesOutstanding, 0)
  if (listedAt !== null) assert.isAtMost(listedAt, now)
  if (delistedAt !== null) {
    assert.isAtMost(delistedAt, now)
    assert.isAbove(delistedAt, listedAt ?? 0)
  }
}

/**
 * Checks the ratio of a price to a divisor. A ratio must be positive and correct; if the divisor is not positive, the
 * ratio must be null.
 */
const assertRatio = (ratio: number | null, price: number, divisor: number | null): void => {
  if (divisor !== null && divisor <= 0) assert.isNull(ratio)
  if (ratio === null) return
  assert.isAbove(ratio, 0)
  if (divisor !== null) assert.isAtMost(Math.abs(ratio - price / divisor), rounding + 0.02 * ratio)
}

/** Returns whether a quote is at most two weeks old. Because of holidays and halts, a stock may not trade for days. */
export const isRecent = ({ time }: StockQuote, now: number): boolean => time > now - 14 * dayMs

/** Returns the newest time in a stock quote, including extended trading. */
export const getNewestQuoteTime = ({ extended, time }: StockQuote): number => extended?.time ?? time

/**
 * Checks that the values of a stock quote are consistent. `shares` is the number of outstanding shares, or null if
 * unknown.
 */
export const assertQuote = (quote: StockQuote, now: number, shares: number | null): void => {
  assertFiniteNumbers(quote)
  const { changePct, exchange, extended, high52w, low52w, marketCap, previousClose, price, time, turnover } = quote
  const country = koreanExchanges.some((korean) => korean === exchange) ? "KR" : "US"
  assert.isAbove(price, 0)
  assert.isAtMost(time, now)
  assert.strictEqual(changePct === null, previousClose === null)
  if (previousClose !== null && changePct !== null) {
    assert.isAbove(previousClose, 0)
    assertPercentChange(changePct, previousClose, price)
  }
  assert.isAtLeast(quote.volume, 0)
  if (turnover !== null) {
    assert.isAtLeast(turnover, 0)
    if (quote.volume > 0) assert.isBelow(Math.abs(Math.log(turnover / quote.volume / price)), 0.7)
  }
  if (marketCap !== null) {
    assert.isAbove(marketCap, 0)
    if (shares !== null) assert.closeTo(marketCap / (price * shares), 1, 0.1)
  }
  assertRatio(quote.pe, price, quote.eps)
  assertRatio(quote.pb, price, quote.bookValue)
  assert.strictEqual(low52w === null, high52w === null)
  if (low52w !== null && high52w !== null) {
    assert.isAbove(low52w, 0)
    assert.isTrue(low52w <= price && price <= high52w)
  }
  const isRegular = sessionState(country, now) === "regular"
  if (country === "US") assert.strictEqual(quote.session, sessionState("US", now))
  assert.strictEqual(quote.session === "regular", isRegular)
  if (isRegular) assert.isNull(extended)
  if (extended !== null) {
    assert.isBelow(Math.abs(Math.log(extended.price / price)), 1)
    assert.isTrue(extended.time > time && extended.time <= now)
  }
  const { foreignSharePct } = quote
  if (country === "US") assert.isNull(foreignSharePct)
  if (foreignSharePct !== null) assert.isTrue(foreignSharePct >= 0 && foreignSharePct <= 100)
}

export const assertIndexQuote = (quote: IndexQuote, now: number): void => {
  assertFiniteNumbers(quote)
  const { changePct, previousClose, time, value } = quote
  assert.isAbove(Math.min(value, previousClose), 0)
  assertPercentChange(changePct, previousClose, value)
  assert.isTrue(time <= now && time > now - 14 * dayMs)
}
