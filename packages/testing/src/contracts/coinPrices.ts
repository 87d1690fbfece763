import { assert } from "@effect/vitest"
import {
  bucketStart,
  CoinPrices,
  dayMs,
  durationMs,
  foldCandles,
  hourMs,
  minuteMs,
  priceLagMs,
  timeframes
} from "@tapeline/core/market"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import {
  descend,
  isPossible,
  isWritable,
  lieWithin,
  marketSuite,
  nobody,
  refused,
  told,
  toldOf
} from "../market/suite.ts"
import { orNothing, recordedChecks, type RecordedVenue } from "./recorded.ts"

/** What the suite is told of a venue. */
export interface PricedVenue extends RecordedVenue {
  /** Coins that trade at `now` and did for the 100 days before. */
  readonly coins: readonly [string, ...ReadonlyArray<string>]
  /** One that was delisted before, if the venue ever had one. */
  readonly delisted?: string
}

/** What every `CoinPrices` promises, as tests. */
export const coinPricesContract = marketSuite<CoinPrices, CoinPrices["Service"], PricedVenue>(CoinPrices, [
  ...recordedChecks<CoinPrices["Service"], PricedVenue>(
    ({ recorded }) => recorded,
    ({ coins }) => coins,
    (prices, coin, until, { now }) => {
      const candles = (timeframe: "5m" | "1h") => {
        const length = durationMs[timeframe]
        const range = { coin, timeframe, from: now - 400 * length, to: until - length + 1 }
        return orNothing(told(prices.candleRange(range)))
      }
      return Effect.all([candles("1h"), candles("5m")])
    }
  ),
  [
    "lists every coin once, with its facts; those that trade have tickers, by capitalisation",
    (prices, { coins, now }) =>
      Effect.gen(function*() {
        const all = yield* told(prices.coins)
        assert.strictEqual(new Set(all.map(({ coin }) => coin)).size, all.length)
        for (const facts of all) {
          isWritable(facts)
          assert.isAtMost(facts.listedAt, now)
          if (facts.delistedAt !== null) assert.isAbove(facts.delistedAt, facts.listedAt)
          if (facts.circulatingSupply !== null) assert.isAbove(facts.circulatingSupply, 0)
        }
        // The dead come last.
        const alive = all.map(({ delistedAt }) => delistedAt === null || delistedAt > now)
        assert.deepStrictEqual(alive, [...alive].sort((a, b) => Number(b) - Number(a)))
        const tickers = yield* told(prices.tickers)
        const trading = new Set(all.filter((_, i) => alive[i]).map(({ coin }) => coin))
        assert.isTrue(tickers.every(({ coin }) => trading.has(coin)))
        descend(tickers.map(({ marketCapUsd }) => marketCapUsd ?? 0))
        for (const coin of coins) {
          assert.isTrue(tickers.some((ticker) => ticker.coin === coin))
          assert.deepStrictEqual(yield* told(prices.coin(coin)), all.find((facts) => facts.coin === coin)!)
        }
      })
  ],
  ["a ticker holds its price within its range, and is dated", (prices, { coins }) =>
    Effect.gen(function*() {
      for (const coin of coins) {
        const ticker = yield* toldOf(prices.ticker(coin), ({ time }) => time)
        isWritable(ticker)
        assert.strictEqual(ticker.coin, coin)
        assert.isAbove(ticker.price, 0)
        assert.isAtMost(ticker.low24h, ticker.price)
        assert.isAtLeast(ticker.high24h, ticker.price)
        assert.isAtLeast(ticker.volume24hUsd, 0)
        const { circulatingSupply } = yield* told(prices.coin(coin))
        if (ticker.marketCapUsd !== null && circulatingSupply !== null) {
          assert.closeTo(ticker.marketCapUsd / (ticker.price * circulatingSupply), 1, 0.05)
        }
      }
    })],
  [
    "candles lie on their grid within the half-open interval, are possible, and only the last may run",
    (prices, venue) =>
      Effect.gen(function*() {
        const { coins: [coin], now } = venue
        for (const timeframe of timeframes) {
          const length = durationMs[timeframe]
          const interval = { from: now - 40 * length + 1, to: now + dayMs }
          const candles = yield* told(prices.candleRange({ coin, timeframe, ...interval }))
          lieWithin(candles, interval, now)
          for (const [i, candle] of candles.entries()) {
            assert.strictEqual(candle.time, bucketStart(timeframe, candle.time))
            isPossible(candle)
            if (i < candles.length - 1) assert.isTrue(candle.closed)
            if (candle.closed) assert.isAtMost(candle.time + length, now)
            else assert.isAbove(candle.time + length, now)
          }
          const last = candles.at(-1)!
          const bounds = { from: candles[0]!.time, to: last.time }
          const without = yield* told(prices.candleRange({ coin, timeframe, ...bounds }))
          assert.deepStrictEqual(without, candles.slice(0, -1))
        }
      })
  ],
  [
    "the last candles are those of the range, at most as many as asked for",
    (prices, { coins: [coin], now }) =>
      Effect.gen(function*() {
        for (const timeframe of timeframes) {
          const candles = yield* told(prices.candles({ coin, timeframe, bars: 12 }))
          assert.isAtMost(candles.length, 12)
          assert.isAbove(candles.length, 0)
          const from = bucketStart(timeframe, now) - 11 * durationMs[timeframe]
          const range = { coin, timeframe, from, to: now + 1 } as const
          assert.deepStrictEqual(candles, yield* told(prices.candleRange(range)))
        }
      })
  ],
  [
    "gives the candles up to a past instant as they stood then",
    (prices, { coins: [coin], now }) =>
      Effect.gen(function*() {
        const until = now - 3 * dayMs - 7 * minuteMs
        const query = { coin, timeframe: "4h", bars: 20 } as const
        const then = yield* told(prices.candles({ ...query, until }))
        yield* TestClock.setTime(until)
        assert.deepStrictEqual(yield* told(prices.candles(query)), then)
      })
  ],
  [
    "coarse candles are the 5-minute ones folded, to the last digit",
    (prices, { coins, now }) =>
      Effect.gen(function*() {
        const to = Math.floor(now / dayMs) * dayMs
        for (const coin of coins) {
          const fine = yield* told(prices.candleRange({ coin, timeframe: "5m", from: to - dayMs, to }))
          for (const timeframe of ["15m", "1h", "4h", "1d"] as const) {
            const coarse = yield* Effect.catchTag(
              told(prices.candleRange({ coin, timeframe, from: to - dayMs, to })),
              "NoData",
              () => Effect.succeed([])
            )
            assert.deepStrictEqual(coarse, foldCandles(fine, timeframe, { until: now }))
          }
        }
      })
  ],
  [
    "a price is of the instant or shortly before it, never of the future",
    (prices, { coins: [coin], now }) =>
      Effect.gen(function*() {
        for (const time of [now, now - 13 * hourMs + 1, now - 30 * dayMs]) {
          const point = yield* toldOf(prices.priceAt({ coin, time }), (point) => point.time)
          assert.isAbove(point.price, 0)
          assert.isAtMost(point.time, time)
          assert.isAtLeast(point.time, time - priceLagMs)
        }
        assert.strictEqual(yield* refused(prices.priceAt({ coin, time: now + 1 })), "NoData")
      })
  ],
  ["the whole market is no smaller than what is tracked of it", (prices) =>
    Effect.gen(function*() {
      const whole = yield* toldOf(prices.totalMarket, ({ time }) => time)
      isWritable(whole)
      const tracked = (yield* told(prices.tickers)).reduce((sum, { marketCapUsd }) => sum + (marketCapUsd ?? 0), 0)
      assert.isAtLeast(whole.marketCapUsd, 0.99 * tracked)
    })],
  ["tells the unknown from what there is no data of", (prices, { coins: [coin] }) =>
    Effect.gen(function*() {
      assert.strictEqual(yield* refused(prices.coin(nobody)), "UnknownSymbol")
      assert.strictEqual(yield* refused(prices.ticker(nobody)), "UnknownSymbol")
      assert.strictEqual(yield* refused(prices.priceAt({ coin: nobody, time: 0 })), "UnknownSymbol")
      assert.strictEqual(yield* refused(prices.candles({ coin: nobody, timeframe: "1h", bars: 1 })), "UnknownSymbol")
      const { listedAt } = yield* told(prices.coin(coin))
      const before = { coin, timeframe: "1d", from: listedAt - 9 * dayMs, to: listedAt - 3 * dayMs } as const
      assert.strictEqual(yield* refused(prices.candleRange(before)), "NoData")
      assert.strictEqual(yield* refused(prices.priceAt({ coin, time: listedAt - 1 })), "NoData")
    })],
  ["a delisted coin keeps its past and has no present", (prices, { delisted, now }) =>
    Effect.gen(function*() {
      if (delisted === undefined) return
      const { delistedAt } = yield* told(prices.coin(delisted))
      assert.isAtMost(delistedAt!, now)
      assert.isFalse((yield* told(prices.tickers)).some(({ coin }) => coin === delisted))
      assert.strictEqual(yield* refused(prices.ticker(delisted)), "NoData")
      assert.strictEqual(yield* refused(prices.priceAt({ coin: delisted, time: delistedAt! })), "NoData")
      const life = { coin: delisted, timeframe: "1h", from: delistedAt! - 10 * hourMs, to: now } as const
      const candles = yield* told(prices.candleRange(life))
      assert.isAbove(candles.length, 0)
      assert.isBelow(candles.at(-1)!.time, delistedAt!)
      assert.isTrue(candles.every(({ closed }) => closed))
    })]
])
