import { assert } from "@effect/vitest"
import { dayMs, hourMs, lastSession, localDay, sessionOf, StoredEquities } from "@tapeline/core/market"
import { Effect } from "effect"
import {
  assertDescending,
  assertFiniteNumbers,
  assertPossibleCandle,
  assertSortedNames,
  assertWithin,
  type CaseOrWaiver,
  lastItem,
  makeWaivableCheck,
  marketSuite,
  newestTime,
  readDatedValue,
  readErrorTag,
  unlistedName,
  type VenueTime
} from "../market/marketSuite.ts"
import { assertIndexQuote, assertQuote, getNewestQuoteTime, isRecent } from "../market/stockChecks.ts"

/**
 * The facts about a venue that the contract tests of `StoredEquities` need. `now` lies within a trading session in the
 * US.
 */
export interface EquityStoreVenue extends VenueTime {
  readonly symbol: string
  readonly index: string
  /**
   * A US stock that had traded before `tradedAt` and was delisted before `delistedBy`. The times `tradedAt` and
   * `delistedBy` are at most `now`.
   */
  readonly delisted: CaseOrWaiver<{ readonly symbol: string; readonly tradedAt: number; readonly delistedBy: number }>
}

type Service = StoredEquities["Service"]

const newestTimeOf = (all: ReadonlyArray<{ readonly time: number }>, now: number) =>
  newestTime(all.map(({ time }) => time), now)
const readQuotes = (equities: Service, country: "US" | "KR") =>
  readDatedValue(equities.quotes(country), (quotes, now) => newestTime(quotes.map(getNewestQuoteTime), now))
const readPricesAt = (equities: Service, time: number) =>
  readDatedValue(equities.pricesAt({ country: "US", time }), newestTimeOf)
const readCloses = (equities: Service, until?: number) =>
  readDatedValue(equities.closes({ country: "US", ...(until === undefined ? {} : { until }) }), newestTimeOf)

/** Defines the contract tests of `StoredEquities`. */
export const storedEquitiesContract = marketSuite<StoredEquities, Service, EquityStoreVenue>(StoredEquities, [
  [
    "quotes of a country are consistent, one per stock, largest turnover first",
    (equities, { now }) =>
      Effect.gen(function*() {
        for (const country of ["US", "KR"] as const) {
          const quotes = yield* readQuotes(equities, country)
          assert.isAbove(quotes.length, 0)
          assertDescending(quotes.map(({ turnover }) => turnover ?? -1))
          assert.strictEqual(new Set(quotes.map(({ symbol }) => symbol)).size, quotes.length)
          for (const quote of quotes) assertQuote(quote, now, null)
          assert.isTrue(quotes.some(({ volume }) => volume > 0))
          assert.isAbove(quotes.filter((quote) => isRecent(quote, now)).length, quotes.length / 2)
        }
      })
  ],
  ["indices have a value, and daily candles that end at it", (equities, { index, now }) =>
    Effect.gen(function*() {
      const quotes = yield* readDatedValue(equities.indexQuotes("US"), newestTimeOf)
      for (const quote of quotes) assertIndexQuote(quote, now)
      const quote = lastItem(quotes.filter((one) => one.index === index))
      const effect = equities.indexHistory({ index, bars: 5, until: now + 9 * dayMs })
      const candles = yield* readDatedValue(
        effect,
        (all, now) => ({ from: Math.min(now, lastItem(all).time + 1), to: now })
      )
      assertWithin(candles, { from: now - 14 * dayMs, to: now + 1 }, now)
      assert.isAtMost(candles.length, 5)
      for (const candle of candles) {
        assertPossibleCandle(candle)
        assert.strictEqual(candle.time, sessionOf("US", localDay("US", candle.time))!.openAt)
      }
      assert.strictEqual(candles.at(-1)!.close, quote.value)
      assert.closeTo(lastItem(candles.slice(0, -1)).close / quote.previousClose, 1, 0.001)
      assert.strictEqual(yield* readErrorTag(equities.indexHistory({ index: unlistedName, bars: 1 })), "UnknownSymbol")
    })],
  [
    "prices at an instant equal the quotes of that instant, and are never later",
    (equities, { now, symbol }) =>
      Effect.gen(function*() {
        const currentPrices = yield* readPricesAt(equities, now)
        assertSortedNames(currentPrices.map((one) => one.symbol))
        const quotes = yield* readQuotes(equities, "US")
        for (const { price, symbol: name, time } of currentPrices) {
          assert.isAtMost(time, now)
          assert.isAbove(price, 0)
          assert.strictEqual(price, quotes.find((quote) => quote.symbol === name)?.price ?? price)
        }
        const time = now - hourMs
        const earlier = lastItem((yield* readPricesAt(equities, time)).filter((one) => one.symbol === symbol))
        assert.isAtMost(earlier.time, time)
      })
  ],
  [
    "closes are from the last ended session, not from the running one",
    (equities, { now, symbol }) =>
      Effect.gen(function*() {
        const closes = yield* readCloses(equities)
        assertSortedNames(closes.map((one) => one.symbol))
        assertFiniteNumbers(closes)
        for (const { close, previousClose, time } of closes) {
          assert.isAbove(Math.min(close, previousClose ?? close), 0)
          assert.strictEqual(time, lastSession("US", time - 1).closeAt)
        }
        const ownClose = lastItem(closes.filter((one) => one.symbol === symbol))
        assert.isBelow(ownClose.time, lastSession("US", now).openAt)
        const quote = lastItem((yield* readQuotes(equities, "US")).filter((one) => one.symbol === symbol))
        if (quote.previousClose !== null) assert.strictEqual(ownClose.close, quote.previousClose)
        const earlier = lastItem(
          (yield* readCloses(equities, ownClose.time - 1)).filter((one) => one.symbol === symbol)
        )
        assert.isBelow(earlier.time, ownClose.time)
        // `previousClose` is per share of the later day. `previousClose` can differ from the close of the day before,
        // because a split changes the number of shares.
        if (ownClose.previousClose !== null) {
          assert.isBelow(Math.abs(Math.log(ownClose.previousClose / earlier.close)), 3)
        }
      })
  ],
  makeWaivableCheck(
    "a delisted stock has prices until its delisting, and no later ones",
    ({ delisted }) => delisted,
    (equities, stock) =>
      Effect.gen(function*() {
        const { delistedBy, symbol, tradedAt } = stock
        const includesStock = (all: ReadonlyArray<{ readonly symbol: string }>) =>
          all.some((one) => one.symbol === symbol)
        assert.isTrue(includesStock(yield* readPricesAt(equities, tradedAt)))
        assert.isTrue(includesStock(yield* readCloses(equities, tradedAt)))
        assert.isFalse(includesStock(yield* readPricesAt(equities, delistedBy)))
        assert.isFalse(includesStock(yield* readCloses(equities, delistedBy)))
        assert.isFalse(includesStock(yield* readQuotes(equities, "US")))
      })
  )
])
