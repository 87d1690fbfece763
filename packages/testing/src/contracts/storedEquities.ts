import { assert } from "@effect/vitest"
import { dayMs, durationMs, hourMs, lastSession, localDay, sessionOf, StoredEquities } from "@tapeline/core/market"
import { Effect } from "effect"
import {
  byName,
  descend,
  isPossible,
  isWritable,
  lieWithin,
  marketSuite,
  nobody,
  type Present,
  refused,
  told
} from "../market/suite.ts"

/** What the suite is told of a venue; `now` lies within a session of the US. */
export interface EquityStoreVenue extends Present {
  /** A US stock. */
  readonly symbol: string
  /** An index of the US. */
  readonly index: string
}

/** What every `StoredEquities` promises, as tests. */
export const storedEquitiesContract = marketSuite<StoredEquities, StoredEquities["Service"], EquityStoreVenue>(
  StoredEquities,
  [
    [
      "quotes of a country are of its stocks, largest turnover first, and add up",
      (equities, { now }) =>
        Effect.gen(function*() {
          for (const country of ["US", "KR"] as const) {
            const quotes = yield* told(equities.quotes(country))
            isWritable(quotes)
            descend(quotes.map(({ turnover }) => turnover))
            assert.strictEqual(new Set(quotes.map(({ symbol }) => symbol)).size, quotes.length)
            for (const quote of quotes) {
              assert.isAtMost(quote.time, now)
              assert.closeTo(quote.changePct, 100 * (quote.price / quote.previousClose - 1), 1e-6)
              assert.isAtMost(quote.low52w, quote.price)
              assert.isAtLeast(quote.high52w, quote.price)
              if (quote.extended !== null) {
                assert.isAbove(quote.extended.price, 0)
                assert.isAbove(quote.extended.time, quote.time)
                assert.isAtMost(quote.extended.time, now)
              }
              if (quote.session === "regular" || country === "KR") assert.isNull(quote.extended)
            }
          }
        })
    ],
    ["indices have a value, and daily candles that end with it", (equities, { index, now }) =>
      Effect.gen(function*() {
        const quotes = yield* told(equities.indexQuotes("US"))
        const quote = quotes.find((one) => one.index === index)!
        const candles = yield* told(equities.indexHistory({ index, bars: 5, until: now + 9 * dayMs }))
        lieWithin(candles, { from: now - 10 * dayMs, to: now + 1 }, now)
        assert.isAtMost(candles.length, 5)
        candles.forEach(isPossible)
        assert.strictEqual(candles.at(-1)!.close, quote.value)
        assert.strictEqual(yield* refused(equities.indexHistory({ index: nobody, bars: 1 })), "UnknownSymbol")
      })],
    [
      "intraday candles lie within sessions, the last one running",
      (equities, { now, symbol }) =>
        Effect.gen(function*() {
          for (const timeframe of ["15m", "1h"] as const) {
            const candles = yield* told(equities.intradayCandles({ symbol, timeframe, bars: 40 }))
            lieWithin(candles, { from: 0, to: now + 1 }, now)
            assert.isAtMost(candles.length, 40)
            for (const candle of candles) {
              isPossible(candle)
              const session = sessionOf("US", localDay("US", candle.time))!
              assert.isAtLeast(candle.time, session.openAt)
              assert.isBelow(candle.time, session.closeAt)
              assert.strictEqual((candle.time - session.openAt) % durationMs[timeframe], 0)
            }
            assert.isFalse(candles.at(-1)!.closed)
          }
          const unknown = { symbol: nobody, timeframe: "1h", bars: 1 } as const
          assert.strictEqual(yield* refused(equities.intradayCandles(unknown)), "UnknownSymbol")
        })
    ],
    ["prices of an instant are those of its quotes and candles", (equities, { now, symbol }) =>
      Effect.gen(function*() {
        const present = yield* told(equities.pricesAt({ country: "US", time: now }))
        byName(present.map((one) => one.symbol))
        const quotes = yield* told(equities.quotes("US"))
        for (const { price, symbol: name, time } of present) {
          assert.isAtMost(time, now)
          assert.strictEqual(price, quotes.find((quote) => quote.symbol === name)?.price ?? price)
        }
        const time = now - hourMs
        const earlier = (yield* told(equities.pricesAt({ country: "US", time }))).find((one) => one.symbol === symbol)!
        assert.isAtMost(earlier.time, time)
        const day = { symbol, timeframe: "15m", bars: 1, until: earlier.time } as const
        const [candle] = yield* told(equities.intradayCandles(day))
        assert.isAtLeast(candle!.high, earlier.price)
        assert.isAtMost(candle!.low, earlier.price)
      })],
    [
      "closes are of the last session that has ended, before the running one",
      (equities, { now, symbol }) =>
        Effect.gen(function*() {
          const closes = yield* told(equities.closes({ country: "US" }))
          byName(closes.map((one) => one.symbol))
          isWritable(closes)
          const running = lastSession("US", now)
          const own = closes.find((one) => one.symbol === symbol)!
          assert.isBelow(own.time, running.openAt)
          const quote = (yield* told(equities.quotes("US"))).find((one) => one.symbol === symbol)!
          assert.strictEqual(own.close, quote.previousClose)
          const before = yield* told(equities.closes({ country: "US", until: own.time - 1 }))
          const earlier = before.find((one) => one.symbol === symbol)!
          assert.isBelow(earlier.time, own.time)
          if (own.previousClose !== null) assert.closeTo(own.previousClose / earlier.close, 1, 0.5)
        })
    ]
  ]
)
