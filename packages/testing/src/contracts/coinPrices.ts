import { assert } from "@effect/vitest"
import {
  bucketStart,
  type Candle,
  type Coin,
  CoinPrices,
  dayMs,
  durationMs,
  foldCandles,
  type Gap,
  hourMs,
  type MarketError,
  minuteMs,
  priceLagMs,
  type Ticker,
  type Timeframe,
  timeframes,
  touchesGap
} from "@tapeline/core/market"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import {
  asked,
  checkOf,
  descend,
  endOf,
  found,
  isPossible,
  isRecent,
  isWritable,
  type Known,
  lieWithin,
  marketSuite,
  newestOf,
  nobody,
  refused,
  told,
  toldOf
} from "../market/suite.ts"
import { manyCoinsChecks } from "./manyCoins.ts"
import { backfillCheck, orNothing, recordedChecks, type RecordedVenue } from "./recorded.ts"

/** The venue facts that the suite needs. */
export interface PricedVenue extends RecordedVenue {
  /** Coins that trade at `now` and traded in the 100 days before. */
  readonly coins: readonly [string, ...ReadonlyArray<string>]
  /** A coin that was delisted before `now`. */
  readonly delisted: Known<string>
  /** An interval without records of the first coin, as known at `now`; at least ten minutes. */
  readonly outage: Known<Gap>
  /** A coin whose candles have no taker volume. */
  readonly takerless: Known<string>
}

type Service = CoinPrices["Service"]

const fineMs = durationMs["5m"]

/** The time to which candles are known. A delisted coin's market ends with its delisting. */
const known =
  (timeframe: Timeframe, until?: number, delistedAt: number | null = null) =>
  (candles: ReadonlyArray<Candle>, now: number) => {
    const last = candles.at(-1)
    if (last === undefined) return asked(now)
    const end = Math.min(last.time + durationMs[timeframe], delistedAt ?? Infinity)
    return endOf(last.time, end, Math.min(now, until ?? now))
  }

const rangeOf = (prices: Service, query: Parameters<Service["candleRange"]>[0], delistedAt?: number | null) =>
  toldOf(prices.candleRange(query), known(query.timeframe, undefined, delistedAt))

/** The candles of an interval, or an empty list if there is no data. */
const candlesIn = (prices: Service, query: Parameters<Service["candleRange"]>[0]) =>
  Effect.map(orNothing(told(prices.candleRange(query))), (candles) => candles ?? [])

/** Checks a ticker's 24-hour figures against the candles, if these are complete. */
const isOfItsDay: (prices: Service, ticker: Ticker) => Effect.Effect<void, MarketError> = Effect.fnUntraced(
  function*(prices, { change24hPct, coin, high24h, low24h, price, time, volume24hUsd }) {
    const from = time - dayMs
    const touching = yield* candlesIn(prices, { coin, timeframe: "5m", from: from - fineMs + 1, to: time + 1 })
    const inside = touching.filter((candle) => candle.time >= from && candle.time + fineMs <= time)
    if (inside.length < Math.floor((time - Math.ceil(from / fineMs) * fineMs) / fineMs)) return
    assert.isNotNull(high24h)
    assert.isNotNull(low24h)
    assert.isNotNull(volume24hUsd)
    const highest = (candles: ReadonlyArray<Candle>) => Math.max(price, ...candles.map(({ high }) => high))
    const lowest = (candles: ReadonlyArray<Candle>) => Math.min(price, ...candles.map(({ low }) => low))
    const traded = (candles: ReadonlyArray<Candle>) => candles.reduce((sum, { quoteVolume }) => sum + quoteVolume, 0)
    // Tickers sample prices, whereas candles contain all trades, and several venues may contribute.
    assert.isAtLeast(high24h, 0.998 * highest(inside))
    assert.isAtMost(high24h, 1.002 * highest(touching))
    assert.isAtMost(low24h, 1.002 * lowest(inside))
    assert.isAtLeast(low24h, 0.998 * lowest(touching))
    assert.isAtLeast(volume24hUsd, 0.95 * traded(inside))
    assert.isAtMost(volume24hUsd, 1.05 * traded(touching))
    const then = yield* told(prices.priceAt({ coin, time: from }))
    assert.isNotNull(change24hPct)
    assert.closeTo(change24hPct, 100 * (price / then.price - 1), 0.5)
  }
)

const isFact = (facts: Coin, now: number): void => {
  isWritable(facts)
  assert.match(facts.coin, /^[0-9A-Z]+$/u)
  assert.notInclude([facts.name, facts.sector], "")
  assert.isAtMost(facts.listedAt, now)
  if (facts.delistedAt !== null) {
    assert.isAbove(facts.delistedAt, facts.listedAt)
    assert.isAtMost(facts.delistedAt, now)
  }
  if (facts.circulatingSupply !== null) assert.isAbove(facts.circulatingSupply, 0)
}

/** A coin's candles before an instant. */
const contentOf = (prices: Service, coin: string, until: number, { now }: PricedVenue) => {
  const candles = (timeframe: "5m" | "1h") => {
    const length = durationMs[timeframe]
    const range = { coin, timeframe, from: now - 400 * length, to: until - length + 1 }
    return orNothing(told(prices.candleRange(range)))
  }
  return Effect.all([candles("1h"), candles("5m")])
}

/** Sets the clock, and returns a coin's watermark and revision at that time. */
const recordAt = (prices: Service, coin: string, time: number) =>
  Effect.andThen(
    TestClock.setTime(time),
    Effect.map(told(prices.recorded([coin])), (all) => found(all.get(coin), `what is recorded of ${coin}`))
  )

/** The contract tests of `CoinPrices`. */
export const coinPricesContract = marketSuite<CoinPrices, CoinPrices["Service"], PricedVenue>(CoinPrices, [
  ...recordedChecks<CoinPrices["Service"], PricedVenue>(
    ({ recorded }) => recorded,
    ({ coins }) => coins,
    contentOf
  ),
  [
    "lists every coin once, with its facts; those that trade have tickers, by capitalisation",
    (prices, { coins, now }) =>
      Effect.gen(function*() {
        const all = yield* toldOf(prices.coins, (_, now) => asked(now))
        assert.strictEqual(new Set(all.map(({ coin }) => coin)).size, all.length)
        for (const facts of all) isFact(facts, now)
        // Delisted coins come last.
        const alive = all.map(({ delistedAt }) => delistedAt === null)
        assert.deepStrictEqual(alive, [...alive].sort((a, b) => Number(b) - Number(a)))
        const tickers = yield* toldOf(prices.tickers, (all, now) => newestOf(all.map(({ time }) => time), now))
        const trading = all.filter((_, i) => alive[i]).map(({ coin }) => coin)
        const priced = tickers.map(({ coin }) => coin)
        assert.strictEqual(new Set(priced).size, priced.length)
        assert.includeMembers(trading, priced)
        // A coin that opened just now, or whose source is silent, has no price.
        for (const coin of trading.filter((one) => !priced.includes(one))) {
          assert.strictEqual(yield* refused(prices.ticker(coin)), "NoData", `the ticker of ${coin}`)
        }
        descend(tickers.map(({ marketCapUsd }) => marketCapUsd ?? 0))
        for (const coin of coins) {
          const ticker = found(tickers.find((one) => one.coin === coin), `the ticker of ${coin}`)
          const alone = yield* told(prices.ticker(coin))
          if (ticker.time === alone.time) assert.deepStrictEqual(ticker, alone)
          const facts = yield* toldOf(prices.coin(coin), (_, now) => asked(now))
          assert.deepStrictEqual(facts, found(all.find((one) => one.coin === coin), coin))
        }
      })
  ],
  ["a ticker tells the 24 hours of the candles, and is dated", (prices, { coins, now }) =>
    Effect.gen(function*() {
      for (const coin of coins) {
        const ticker = yield* toldOf(prices.ticker(coin), ({ time }) => time)
        isRecent(ticker.time, now)
        isWritable(ticker)
        assert.strictEqual(ticker.coin, coin)
        assert.isAbove(ticker.price, 0)
        if (ticker.low24h !== null) assert.isAtMost(ticker.low24h, ticker.price)
        if (ticker.high24h !== null) assert.isAtLeast(ticker.high24h, ticker.price)
        if (ticker.volume24hUsd !== null) assert.isAtLeast(ticker.volume24hUsd, 0)
        const { circulatingSupply } = yield* told(prices.coin(coin))
        if (ticker.marketCapUsd !== null && circulatingSupply !== null) {
          assert.closeTo(ticker.marketCapUsd / (ticker.price * circulatingSupply), 1, 0.05)
        }
        yield* isOfItsDay(prices, ticker)
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
          const candles = yield* rangeOf(prices, { coin, timeframe, ...interval })
          lieWithin(candles, interval, now)
          for (const [i, candle] of candles.entries()) {
            assert.strictEqual(candle.time, bucketStart(timeframe, candle.time))
            isPossible(candle)
            // The average traded price lies within the range of prices.
            assert.isAtLeast(candle.quoteVolume, 0.99 * candle.low * candle.volume)
            assert.isAtMost(candle.quoteVolume, 1.01 * candle.high * candle.volume)
            if (i < candles.length - 1) assert.isTrue(candle.closed)
            if (candle.closed) assert.isAtMost(candle.time + length, now)
            else assert.isAbove(candle.time + length, now)
          }
          // Some takers bought and some sold.
          const known = candles.filter(({ takerBuyVolume }) => takerBuyVolume !== null)
          const [bought, traded] = [known.map((one) => one.takerBuyVolume ?? 0), known.map(({ volume }) => volume)].map(
            (amounts) => amounts.reduce((sum, amount) => sum + amount, 0)
          )
          if (known.length > 0) assert.isTrue(bought! > 0 && bought! < traded!, `${bought} of ${traded}`)
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
          const candles = yield* toldOf(prices.candles({ coin, timeframe, bars: 12 }), known(timeframe))
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
        const time = now - 3 * dayMs - 7 * minuteMs
        const query = { coin, timeframe: "4h", bars: 20 } as const
        const { contiguousUntil } = yield* recordAt(prices, coin, time)
        // Delayed data had not arrived at that time.
        const until = Math.min(time, contiguousUntil)
        const then = yield* told(prices.candles(until === time ? query : { ...query, until }))
        yield* TestClock.setTime(now)
        assert.deepStrictEqual(yield* toldOf(prices.candles({ ...query, until }), known("4h", until)), then)
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
            const coarse = yield* candlesIn(prices, { coin, timeframe, from: to - dayMs, to })
            assert.deepStrictEqual(coarse, foldCandles(fine, timeframe, { until: now }))
          }
        }
      })
  ],
  [
    "a price is of the instant or shortly before it, never of the future, and within its candle",
    (prices, { coins: [coin], now }) =>
      Effect.gen(function*() {
        for (const time of [now, now - 13 * hourMs + 1, now - 30 * dayMs]) {
          const point = yield* toldOf(prices.priceAt({ coin, time }), (point) => point.time)
          assert.isAbove(point.price, 0)
          assert.isAtMost(point.time, time)
          assert.isAtLeast(point.time, time - priceLagMs)
          const start = bucketStart("5m", point.time)
          const [candle] = yield* candlesIn(prices, { coin, timeframe: "5m", from: start, to: start + 1 })
          if (candle === undefined) continue
          // The price is sampled, whereas candles contain all trades.
          assert.isAtLeast(point.price, 0.99 * candle.low)
          assert.isAtMost(point.price, 1.01 * candle.high)
        }
        assert.strictEqual(yield* refused(prices.priceAt({ coin, time: now + 1 })), "NoData")
      })
  ],
  [
    "the price of an instant is the one that was told at it",
    (prices, { coins: [coin], now }) =>
      Effect.gen(function*() {
        const newest = yield* recordAt(prices, coin, now)
        for (const ago of [17 * minuteMs, 13 * hourMs - 1, 3 * dayMs + 7 * minuteMs]) {
          const then = yield* recordAt(prices, coin, now - ago)
          if (then.revision !== newest.revision) continue
          const ask = orNothing(told(prices.priceAt({ coin, time: Math.min(now - ago, then.contiguousUntil) })))
          const price = yield* ask
          yield* TestClock.setTime(now)
          assert.deepStrictEqual(yield* ask, price)
        }
      })
  ],
  ...manyCoinsChecks,
  ["the whole market is no smaller than what is tracked of it", (prices, { now }) =>
    Effect.gen(function*() {
      const whole = yield* toldOf(prices.totalMarket, ({ time }) => time)
      isWritable(whole)
      isRecent(whole.time, now)
      if (whole.volume24hUsd !== null) assert.isAtLeast(whole.volume24hUsd, 0)
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
  checkOf(
    "what was not recorded has no candle and no price, at any timeframe",
    ({ outage }) => outage,
    (prices, outage, { coins: [coin] }) =>
      Effect.gen(function*() {
        for (const timeframe of timeframes) {
          const around = 3 * Math.max(hourMs, durationMs[timeframe])
          const candles = yield* candlesIn(prices, {
            coin,
            timeframe,
            from: outage.from - around,
            to: outage.to + around
          })
          for (const { time } of candles) assert.isFalse(touchesGap([outage], time, time + durationMs[timeframe]))
          if (timeframe === "5m") assert.isAbove(candles.length, 0)
          const last = yield* orNothing(told(prices.candles({ coin, timeframe, bars: 3, until: outage.to })))
          for (const { time } of last ?? []) {
            assert.isFalse(touchesGap([outage], time, Math.min(time + durationMs[timeframe], outage.to)))
          }
        }
        for (const time of [outage.from + fineMs, outage.to - 1]) {
          const point = yield* orNothing(told(prices.priceAt({ coin, time })))
          // The close of the last candle before the outage has the time of the outage's first instant.
          if (point !== null) assert.isAtMost(point.time, outage.from)
        }
        const minutes = yield* told(
          prices.minutes({ coins: [coin], after: outage.from + minuteMs, until: outage.to - 1 })
        )
        assert.deepStrictEqual(minutes.get(coin)?.points ?? [], [])
      })
  ),
  checkOf(
    "takers that nobody tells are null",
    ({ takerless }) => takerless,
    (prices, takerless, { now }) =>
      Effect.gen(function*() {
        for (const timeframe of timeframes) {
          const range = { timeframe, from: now - 30 * durationMs[timeframe], to: now }
          const untold = yield* candlesIn(prices, { coin: takerless, ...range })
          assert.isAbove(untold.length, 0)
          for (const { takerBuyVolume } of untold) assert.isNull(takerBuyVolume)
          for (const { volume } of untold) assert.isAbove(volume, 0)
        }
      })
  ),
  checkOf(
    "a delisted coin keeps its past and has no present",
    ({ delisted }) => delisted,
    (prices, delisted, { now }) =>
      Effect.gen(function*() {
        const facts = yield* told(prices.coin(delisted))
        const delistedAt = found(facts.delistedAt, `the end of ${delisted}`)
        assert.isAtMost(delistedAt, now)
        // No more data is expected.
        const record = found(
          (yield* told(prices.recorded([delisted]))).get(delisted),
          `what is recorded of ${delisted}`
        )
        assert.isAtLeast(record.contiguousUntil, delistedAt)
        assert.deepInclude(yield* told(prices.coins), facts)
        assert.isFalse((yield* told(prices.tickers)).some(({ coin }) => coin === delisted))
        assert.strictEqual(yield* refused(prices.ticker(delisted)), "NoData")
        assert.strictEqual(yield* refused(prices.priceAt({ coin: delisted, time: delistedAt })), "NoData")
        assert.isBelow((yield* told(prices.priceAt({ coin: delisted, time: delistedAt - 1 }))).time, delistedAt)
        // The candles as of now, and as of the time when the last interval was still open.
        for (const until of [now, Math.min(now, delistedAt + 1)]) {
          yield* TestClock.setTime(until)
          const from = Math.floor(delistedAt / dayMs - 1) * dayMs
          const fine = yield* rangeOf(prices, { coin: delisted, timeframe: "5m", from, to: now }, delistedAt)
          for (const timeframe of timeframes) {
            const candles = yield* rangeOf(prices, { coin: delisted, timeframe, from, to: now }, delistedAt)
            assert.isBelow(candles.at(-1)!.time, delistedAt)
            assert.isTrue(candles.every(({ closed }) => closed))
            assert.deepStrictEqual(candles, foldCandles(fine, timeframe, { until, delistedAt }))
          }
        }
      })
  ),
  backfillCheck<Service, PricedVenue>(({ recorded }) => recorded, contentOf)
])
