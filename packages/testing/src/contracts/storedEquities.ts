import { assert } from "@effect/vitest"
import { dayMs, hourMs, lastSession, localDay, sessionOf, StoredEquities } from "@tapeline/core/market"
import { Effect } from "effect"
import { isIndexQuote, isQuote, isRecent, quotedAt } from "../market/stocks.ts"
import {
  byName,
  checkOf,
  descend,
  isPossible,
  isWritable,
  type Known,
  lastOf,
  lieWithin,
  marketSuite,
  newestOf,
  nobody,
  type Present,
  refused,
  toldOf
} from "../market/suite.ts"

/** The venue facts that the suite needs. `now` is within a US session. */
export interface EquityStoreVenue extends Present {
  /** A US stock. */
  readonly symbol: string
  /** A US index. */
  readonly index: string
  /** A US stock that had traded at one time, and was delisted before a later time, which is at most `now`. */
  readonly delisted: Known<{ readonly symbol: string; readonly traded: number; readonly after: number }>
}

type Service = StoredEquities["Service"]

const dated = (all: ReadonlyArray<{ readonly time: number }>, now: number) => newestOf(all.map(({ time }) => time), now)
const quotesOf = (equities: Service, country: "US" | "KR") =>
  toldOf(equities.quotes(country), (quotes, now) => newestOf(quotes.map(quotedAt), now))
const pricesAt = (equities: Service, time: number) => toldOf(equities.pricesAt({ country: "US", time }), dated)
const closesBy = (equities: Service, until?: number) =>
  toldOf(equities.closes({ country: "US", ...(until === undefined ? {} : { until }) }), dated)

/** The contract tests of `StoredEquities`. */
export const storedEquitiesContract = marketSuite<StoredEquities, Service, EquityStoreVenue>(StoredEquities, [
  [
    "quotes of a country are of its stocks, largest turnover first, and add up",
    (equities, { now }) =>
      Effect.gen(function*() {
        for (const country of ["US", "KR"] as const) {
          const quotes = yield* quotesOf(equities, country)
          assert.isAbove(quotes.length, 0)
          descend(quotes.map(({ turnover }) => turnover ?? -1))
          assert.strictEqual(new Set(quotes.map(({ symbol }) => symbol)).size, quotes.length)
          for (const quote of quotes) isQuote(quote, now, null)
          assert.isTrue(quotes.some(({ volume }) => volume > 0))
          assert.isAbove(quotes.filter((quote) => isRecent(quote, now)).length, quotes.length / 2)
        }
      })
  ],
  ["indices have a value, and daily candles that end with it", (equities, { index, now }) =>
    Effect.gen(function*() {
      const quotes = yield* toldOf(equities.indexQuotes("US"), dated)
      for (const quote of quotes) isIndexQuote(quote, now)
      const quote = lastOf(quotes.filter((one) => one.index === index))
      const read = equities.indexHistory({ index, bars: 5, until: now + 9 * dayMs })
      const candles = yield* toldOf(read, (all, now) => ({ from: Math.min(now, lastOf(all).time + 1), to: now }))
      lieWithin(candles, { from: now - 14 * dayMs, to: now + 1 }, now)
      assert.isAtMost(candles.length, 5)
      for (const candle of candles) {
        isPossible(candle)
        assert.strictEqual(candle.time, sessionOf("US", localDay("US", candle.time))!.openAt)
      }
      assert.strictEqual(candles.at(-1)!.close, quote.value)
      assert.closeTo(lastOf(candles.slice(0, -1)).close / quote.previousClose, 1, 0.001)
      assert.strictEqual(yield* refused(equities.indexHistory({ index: nobody, bars: 1 })), "UnknownSymbol")
    })],
  [
    "prices of an instant are those of its quotes, and of no later one",
    (equities, { now, symbol }) =>
      Effect.gen(function*() {
        const present = yield* pricesAt(equities, now)
        byName(present.map((one) => one.symbol))
        const quotes = yield* quotesOf(equities, "US")
        for (const { price, symbol: name, time } of present) {
          assert.isAtMost(time, now)
          assert.isAbove(price, 0)
          assert.strictEqual(price, quotes.find((quote) => quote.symbol === name)?.price ?? price)
        }
        const time = now - hourMs
        const earlier = lastOf((yield* pricesAt(equities, time)).filter((one) => one.symbol === symbol))
        assert.isAtMost(earlier.time, time)
      })
  ],
  [
    "closes are of the last session that has ended, before the running one",
    (equities, { now, symbol }) =>
      Effect.gen(function*() {
        const closes = yield* closesBy(equities)
        byName(closes.map((one) => one.symbol))
        isWritable(closes)
        for (const { close, previousClose, time } of closes) {
          assert.isAbove(Math.min(close, previousClose ?? close), 0)
          assert.strictEqual(time, lastSession("US", time - 1).closeAt)
        }
        const own = lastOf(closes.filter((one) => one.symbol === symbol))
        assert.isBelow(own.time, lastSession("US", now).openAt)
        const quote = lastOf((yield* quotesOf(equities, "US")).filter((one) => one.symbol === symbol))
        if (quote.previousClose !== null) assert.strictEqual(own.close, quote.previousClose)
        const earlier = lastOf((yield* closesBy(equities, own.time - 1)).filter((one) => one.symbol === symbol))
        assert.isBelow(earlier.time, own.time)
        // `previousClose` is in shares of the later day, whose number differs after a split.
        if (own.previousClose !== null) assert.isBelow(Math.abs(Math.log(own.previousClose / earlier.close)), 3)
      })
  ],
  checkOf(
    "a delisted stock has prices of its time, and none later",
    ({ delisted }) => delisted,
    (equities, stock) =>
      Effect.gen(function*() {
        const { after, symbol, traded } = stock
        const has = (all: ReadonlyArray<{ readonly symbol: string }>) => all.some((one) => one.symbol === symbol)
        assert.isTrue(has(yield* pricesAt(equities, traded)))
        assert.isTrue(has(yield* closesBy(equities, traded)))
        assert.isFalse(has(yield* pricesAt(equities, after)))
        assert.isFalse(has(yield* closesBy(equities, after)))
        assert.isFalse(has(yield* quotesOf(equities, "US")))
      })
  )
])
