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
  maxPriceAgeMs,
  minuteMs,
  overlapsGap,
  type Ticker,
  type Timeframe,
  timeframes
} from "@tapeline/core/market"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import {
  assertDescending,
  assertFiniteNumbers,
  assertPossibleCandle,
  assertPresent,
  assertRecent,
  assertWithin,
  type CaseOrWaiver,
  intervalEnd,
  makeWaivableCheck,
  marketSuite,
  newestTime,
  readDatedValue,
  readErrorTag,
  readValue,
  requestInterval,
  unlistedName
} from "../market/marketSuite.ts"
import { manyCoinsChecks } from "./manyCoinsChecks.ts"
import { backfillCheck, nullIfNoData, recordedChecks, type RecordedVenue } from "./recordedChecks.ts"

/** The facts about a venue that the contract tests of `CoinPrices` need. */
export interface CoinPricesVenue extends RecordedVenue {
  /** Coins that traded in the 100 days before `now` and still trade at `now`. */
  readonly coins: readonly [string, ...ReadonlyArray<string>]
  readonly delisted: CaseOrWaiver<string>
  /** An outage of at least ten minutes. At `now`, the venue has no data of the first coin for the outage. */
  readonly outage: CaseOrWaiver<Gap>
  readonly takerless: CaseOrWaiver<string>
}

type Service = CoinPrices["Service"]

const fiveMinutesMs = durationMs["5m"]

/**
 * Returns a function that computes the time until which a list of candles is complete. For a delisted coin, the
 * returned time is at most `delistedAt`.
 */
const getKnownUntil =
  (timeframe: Timeframe, until?: number, delistedAt: number | null = null) =>
  (candles: ReadonlyArray<Candle>, now: number) => {
    const last = candles.at(-1)
    if (last === undefined) return requestInterval(now)
    const end = Math.min(last.time + durationMs[timeframe], delistedAt ?? Infinity)
    return intervalEnd(last.time, end, Math.min(now, until ?? now))
  }

const readRange = (prices: Service, query: Parameters<Service["candleRange"]>[0], delistedAt?: number | null) =>
  readDatedValue(prices.candleRange(query), getKnownUntil(query.timeframe, undefined, delistedAt))

const readCandles = (prices: Service, query: Parameters<Service["candleRange"]>[0]) =>
  Effect.map(nullIfNoData(readValue(prices.candleRange(query))), (candles) => candles ?? [])

/**
 * Compares the 24-hour figures of a ticker with the 5-minute candles of the same day. If any candle of the day is
 * missing, the function compares nothing.
 */
const assertDayFigures: (prices: Service, ticker: Ticker) => Effect.Effect<void, MarketError> = Effect.fnUntraced(
  function*(prices, { change24hPct, coin, high24h, low24h, price, time, volume24hUsd }) {
    const from = time - dayMs
    const touchingCandles = yield* readCandles(prices, {
      coin,
      timeframe: "5m",
      from: from - fiveMinutesMs + 1,
      to: time + 1
    })
    const containedCandles = touchingCandles.filter((candle) =>
      candle.time >= from && candle.time + fiveMinutesMs <= time
    )
    if (
      containedCandles.length < Math.floor((time - Math.ceil(from / fiveMinutesMs) * fiveMinutesMs) / fiveMinutesMs)
    ) return
    assert.isNotNull(high24h)
    assert.isNotNull(low24h)
    assert.isNotNull(volume24hUsd)
    const highestPrice = (candles: ReadonlyArray<Candle>) => Math.max(price, ...candles.map(({ high }) => high))
    const lowestPrice = (candles: ReadonlyArray<Candle>) => Math.min(price, ...candles.map(({ low }) => low))
    const sumQuoteVolume = (candles: ReadonlyArray<Candle>) =>
      candles.reduce((sum, { quoteVolume }) => sum + quoteVolume, 0)
    // A ticker samples prices and may combine several venues, but candles contain all trades, so the values may differ.
    assert.isAtLeast(high24h, 0.998 * highestPrice(containedCandles))
    assert.isAtMost(high24h, 1.002 * highestPrice(touchingCandles))
    assert.isAtMost(low24h, 1.002 * lowestPrice(containedCandles))
    assert.isAtLeast(low24h, 0.998 * lowestPrice(touchingCandles))
    assert.isAtLeast(volume24hUsd, 0.95 * sumQuoteVolume(containedCandles))
    assert.isAtMost(volume24hUsd, 1.05 * sumQuoteVolume(touchingCandles))
    const priceDayAgo = yield* readValue(prices.priceAt({ coin, time: from }))
    assert.isNotNull(change24hPct)
    assert.closeTo(change24hPct, 100 * (price / priceDayAgo.price - 1), 0.5)
  }
)

const assertCoinFacts = (facts: Coin, now: number): void => {
  assertFiniteNumbers(facts)
  assert.match(facts.coin, /^[0-9A-Z]+$/u)
  assert.notInclude([facts.name, facts.sector], "")
  assert.isAtMost(facts.listedAt, now)
  if (facts.delistedAt !== null) {
    assert.isAbove(facts.delistedAt, facts.listedAt)
    assert.isAtMost(facts.delistedAt, now)
  }
  if (facts.circulatingSupply !== null) assert.isAbove(facts.circulatingSupply, 0)
}

const readContent = (prices: Service, coin: string, until: number, { now }: CoinPricesVenue) => {
  const candles = (timeframe: "5m" | "1h") => {
    const length = durationMs[timeframe]
    const range = { coin, timeframe, from: now - 400 * length, to: until - length + 1 }
    return nullIfNoData(readValue(prices.candleRange(range)))
  }
  return Effect.all([candles("1h"), candles("5m")])
}

const readRecordAt = (prices: Service, coin: string, time: number) =>
  Effect.andThen(
    TestClock.setTime(time),
    Effect.map(
      readValue(prices.watermarks([coin])),
      (all) => assertPresent(all.get(coin), `the watermark of ${coin}`)
    )
  )

/** Defines the contract tests of `CoinPrices`. */
export const coinPricesContract = marketSuite<CoinPrices, CoinPrices["Service"], CoinPricesVenue>(CoinPrices, [
  ...recordedChecks<CoinPrices["Service"], CoinPricesVenue>(
    ({ watermarks }) => watermarks,
    ({ coins }) => coins,
    readContent
  ),
  [
    "lists every coin once with its facts, and trading coins have tickers sorted by market capitalisation",
    (prices, { coins, now }) =>
      Effect.gen(function*() {
        const all = yield* readDatedValue(prices.coins, (_, now) => requestInterval(now))
        assert.strictEqual(new Set(all.map(({ coin }) => coin)).size, all.length)
        for (const facts of all) assertCoinFacts(facts, now)
        const isTrading = all.map(({ delistedAt }) => delistedAt === null)
        assert.deepStrictEqual(isTrading, [...isTrading].sort((a, b) => Number(b) - Number(a)))
        const tickers = yield* readDatedValue(
          prices.tickers,
          (all, now) => newestTime(all.map(({ time }) => time), now)
        )
        const trading = all.filter((_, i) => isTrading[i]).map(({ coin }) => coin)
        const priced = tickers.map(({ coin }) => coin)
        assert.strictEqual(new Set(priced).size, priced.length)
        assert.includeMembers(trading, priced)
        // A coin has no price if the market of the coin opened just now, or if the source sends no data.
        for (const coin of trading.filter((one) => !priced.includes(one))) {
          assert.strictEqual(yield* readErrorTag(prices.ticker(coin)), "NoData", `the ticker of ${coin}`)
        }
        assertDescending(tickers.map(({ marketCapUsd }) => marketCapUsd ?? 0))
        for (const coin of coins) {
          const ticker = assertPresent(tickers.find((one) => one.coin === coin), `the ticker of ${coin}`)
          const singleTicker = yield* readValue(prices.ticker(coin))
          if (ticker.time === singleTicker.time) assert.deepStrictEqual(ticker, singleTicker)
          const facts = yield* readDatedValue(prices.coin(coin), (_, now) => requestInterval(now))
          assert.deepStrictEqual(facts, assertPresent(all.find((one) => one.coin === coin), coin))
        }
      })
  ],
  [
    "a ticker has the 24-hour figures of the candles and its own time",
    (prices, { coins, now }) =>
      Effect.gen(function*() {
        for (const coin of coins) {
          const ticker = yield* readDatedValue(prices.ticker(coin), ({ time }) => time)
          assertRecent(ticker.time, now)
          assertFiniteNumbers(ticker)
          assert.strictEqual(ticker.coin, coin)
          assert.isAbove(ticker.price, 0)
          if (ticker.low24h !== null) assert.isAtMost(ticker.low24h, ticker.price)
          if (ticker.high24h !== null) assert.isAtLeast(ticker.high24h, ticker.price)
          if (ticker.volume24hUsd !== null) assert.isAtLeast(ticker.volume24hUsd, 0)
          const { circulatingSupply } = yield* readValue(prices.coin(coin))
          if (ticker.marketCapUsd !== null && circulatingSupply !== null) {
            assert.closeTo(ticker.marketCapUsd / (ticker.price * circulatingSupply), 1, 0.05)
          }
          yield* assertDayFigures(prices, ticker)
        }
      })
  ],
  [
    "candles are possible, on their grid within the half-open interval, and only the last may be open",
    (prices, venue) =>
      Effect.gen(function*() {
        const { coins: [coin], now } = venue
        for (const timeframe of timeframes) {
          const length = durationMs[timeframe]
          const interval = { from: now - 40 * length + 1, to: now + dayMs }
          const candles = yield* readRange(prices, { coin, timeframe, ...interval })
          assertWithin(candles, interval, now)
          for (const [i, candle] of candles.entries()) {
            assert.strictEqual(candle.time, bucketStart(timeframe, candle.time))
            assertPossibleCandle(candle)
            // The average traded price lies within the price range of the candle.
            assert.isAtLeast(candle.quoteVolume, 0.99 * candle.low * candle.volume)
            assert.isAtMost(candle.quoteVolume, 1.01 * candle.high * candle.volume)
            if (i < candles.length - 1) assert.isTrue(candle.closed)
            if (candle.closed) assert.isAtMost(candle.time + length, now)
            else assert.isAbove(candle.time + length, now)
          }
          const withTakers = candles.filter(({ takerBuyVolume }) => takerBuyVolume !== null)
          const [takerBought, traded] = [
            withTakers.map((one) => one.takerBuyVolume ?? 0),
            withTakers.map(({ volume }) => volume)
          ].map(
            (amounts) => amounts.reduce((sum, amount) => sum + amount, 0)
          )
          if (withTakers.length > 0) {
            assert.isTrue(takerBought! > 0 && takerBought! < traded!, `${takerBought} of ${traded}`)
          }
          const last = candles.at(-1)!
          const bounds = { from: candles[0]!.time, to: last.time }
          const withoutLast = yield* readValue(prices.candleRange({ coin, timeframe, ...bounds }))
          assert.deepStrictEqual(withoutLast, candles.slice(0, -1))
        }
      })
  ],
  [
    "the last candles equal those of the range, and are at most as many as requested",
    (prices, { coins: [coin], now }) =>
      Effect.gen(function*() {
        for (const timeframe of timeframes) {
          const candles = yield* readDatedValue(prices.candles({ coin, timeframe, bars: 12 }), getKnownUntil(timeframe))
          assert.isAtMost(candles.length, 12)
          assert.isAbove(candles.length, 0)
          const from = bucketStart(timeframe, now) - 11 * durationMs[timeframe]
          const range = { coin, timeframe, from, to: now + 1 } as const
          assert.deepStrictEqual(candles, yield* readValue(prices.candleRange(range)))
        }
      })
  ],
  [
    "returns the candles up to a past instant as they were at that instant",
    (prices, { coins: [coin], now }) =>
      Effect.gen(function*() {
        const time = now - 3 * dayMs - 7 * minuteMs
        const query = { coin, timeframe: "4h", bars: 20 } as const
        const { contiguousUntil } = yield* readRecordAt(prices, coin, time)
        const until = Math.min(time, contiguousUntil)
        const originalCandles = yield* readValue(prices.candles(until === time ? query : { ...query, until }))
        yield* TestClock.setTime(now)
        assert.deepStrictEqual(
          yield* readDatedValue(prices.candles({ ...query, until }), getKnownUntil("4h", until)),
          originalCandles
        )
      })
  ],
  [
    "coarse candles equal the merged 5-minute candles, to the last digit",
    (prices, { coins, now }) =>
      Effect.gen(function*() {
        const to = Math.floor(now / dayMs) * dayMs
        for (const coin of coins) {
          const fineCandles = yield* readValue(prices.candleRange({ coin, timeframe: "5m", from: to - dayMs, to }))
          for (const timeframe of ["15m", "1h", "4h", "1d"] as const) {
            const coarse = yield* readCandles(prices, { coin, timeframe, from: to - dayMs, to })
            assert.deepStrictEqual(coarse, foldCandles(fineCandles, timeframe, { until: now }))
          }
        }
      })
  ],
  [
    "a price is from the instant or shortly before, never from the future, and within its candle",
    (prices, { coins: [coin], now }) =>
      Effect.gen(function*() {
        for (const time of [now, now - 13 * hourMs + 1, now - 30 * dayMs]) {
          const point = yield* readDatedValue(prices.priceAt({ coin, time }), (point) => point.time)
          assert.isAbove(point.price, 0)
          assert.isAtMost(point.time, time)
          assert.isAtLeast(point.time, time - maxPriceAgeMs)
          const start = bucketStart("5m", point.time)
          const [candle] = yield* readCandles(prices, { coin, timeframe: "5m", from: start, to: start + 1 })
          if (candle === undefined) continue
          // The price is a sample, but candles contain all trades, so the two prices may differ.
          assert.isAtLeast(point.price, 0.99 * candle.low)
          assert.isAtMost(point.price, 1.01 * candle.high)
        }
        assert.strictEqual(yield* readErrorTag(prices.priceAt({ coin, time: now + 1 })), "NoData")
      })
  ],
  [
    "the price of a past instant equals the price that was returned at that instant",
    (prices, { coins: [coin], now }) =>
      Effect.gen(function*() {
        const newest = yield* readRecordAt(prices, coin, now)
        for (const agoMs of [17 * minuteMs, 13 * hourMs - 1, 3 * dayMs + 7 * minuteMs]) {
          const recordThen = yield* readRecordAt(prices, coin, now - agoMs)
          if (recordThen.revision !== newest.revision) continue
          const readPrice = nullIfNoData(
            readValue(prices.priceAt({ coin, time: Math.min(now - agoMs, recordThen.contiguousUntil) }))
          )
          const price = yield* readPrice
          yield* TestClock.setTime(now)
          assert.deepStrictEqual(yield* readPrice, price)
        }
      })
  ],
  ...manyCoinsChecks,
  [
    "the market capitalisation of the whole market is at least that of the tracked coins",
    (prices, { now }) =>
      Effect.gen(function*() {
        const total = yield* readDatedValue(prices.totalMarket, ({ time }) => time)
        assertFiniteNumbers(total)
        assertRecent(total.time, now)
        if (total.volume24hUsd !== null) assert.isAtLeast(total.volume24hUsd, 0)
        const tracked = (yield* readValue(prices.tickers)).reduce(
          (sum, { marketCapUsd }) => sum + (marketCapUsd ?? 0),
          0
        )
        assert.isAtLeast(total.marketCapUsd, 0.99 * tracked)
      })
  ],
  [
    "fails with UnknownSymbol for unknown coins, and with NoData before the listing",
    (prices, { coins: [coin] }) =>
      Effect.gen(function*() {
        assert.strictEqual(yield* readErrorTag(prices.coin(unlistedName)), "UnknownSymbol")
        assert.strictEqual(yield* readErrorTag(prices.ticker(unlistedName)), "UnknownSymbol")
        assert.strictEqual(yield* readErrorTag(prices.priceAt({ coin: unlistedName, time: 0 })), "UnknownSymbol")
        assert.strictEqual(
          yield* readErrorTag(prices.candles({ coin: unlistedName, timeframe: "1h", bars: 1 })),
          "UnknownSymbol"
        )
        const { listedAt } = yield* readValue(prices.coin(coin))
        const before = { coin, timeframe: "1d", from: listedAt - 9 * dayMs, to: listedAt - 3 * dayMs } as const
        assert.strictEqual(yield* readErrorTag(prices.candleRange(before)), "NoData")
        assert.strictEqual(yield* readErrorTag(prices.priceAt({ coin, time: listedAt - 1 })), "NoData")
      })
  ],
  makeWaivableCheck(
    "an outage has no candle on any timeframe, and no price",
    ({ outage }) => outage,
    (prices, outage, { coins: [coin] }) =>
      Effect.gen(function*() {
        for (const timeframe of timeframes) {
          const marginMs = 3 * Math.max(hourMs, durationMs[timeframe])
          const candles = yield* readCandles(prices, {
            coin,
            timeframe,
            from: outage.from - marginMs,
            to: outage.to + marginMs
          })
          for (const { time } of candles) assert.isFalse(overlapsGap([outage], time, time + durationMs[timeframe]))
          if (timeframe === "5m") assert.isAbove(candles.length, 0)
          const last = yield* nullIfNoData(readValue(prices.candles({ coin, timeframe, bars: 3, until: outage.to })))
          for (const { time } of last ?? []) {
            assert.isFalse(overlapsGap([outage], time, Math.min(time + durationMs[timeframe], outage.to)))
          }
        }
        for (const time of [outage.from + fiveMinutesMs, outage.to - 1]) {
          const point = yield* nullIfNoData(readValue(prices.priceAt({ coin, time })))
          // The close of the last candle before the outage has the time at which the outage begins.
          if (point !== null) assert.isAtMost(point.time, outage.from)
        }
        const minutes = yield* readValue(
          prices.minutes({ coins: [coin], after: outage.from + minuteMs, until: outage.to - 1 })
        )
        assert.deepStrictEqual(minutes.get(coin)?.points ?? [], [])
      })
  ),
  makeWaivableCheck(
    "taker volume that the venue does not report is null",
    ({ takerless }) => takerless,
    (prices, takerless, { now }) =>
      Effect.gen(function*() {
        for (const timeframe of timeframes) {
          const range = { timeframe, from: now - 30 * durationMs[timeframe], to: now }
          const withoutTakers = yield* readCandles(prices, { coin: takerless, ...range })
          assert.isAbove(withoutTakers.length, 0)
          for (const { takerBuyVolume } of withoutTakers) assert.isNull(takerBuyVolume)
          for (const { volume } of withoutTakers) assert.isAbove(volume, 0)
        }
      })
  ),
  makeWaivableCheck(
    "a delisted coin keeps its past data and has no current data",
    ({ delisted }) => delisted,
    (prices, delisted, { now }) =>
      Effect.gen(function*() {
        const facts = yield* readValue(prices.coin(delisted))
        const delistedAt = assertPresent(facts.delistedAt, `the delisting time of ${delisted}`)
        assert.isAtMost(delistedAt, now)
        // The watermark reaches the delisting time, because no more data is expected.
        const record = assertPresent(
          (yield* readValue(prices.watermarks([delisted]))).get(delisted),
          `the watermark of ${delisted}`
        )
        assert.isAtLeast(record.contiguousUntil, delistedAt)
        assert.deepInclude(yield* readValue(prices.coins), facts)
        assert.isFalse((yield* readValue(prices.tickers)).some(({ coin }) => coin === delisted))
        assert.strictEqual(yield* readErrorTag(prices.ticker(delisted)), "NoData")
        assert.strictEqual(yield* readErrorTag(prices.priceAt({ coin: delisted, time: delistedAt })), "NoData")
        assert.isBelow((yield* readValue(prices.priceAt({ coin: delisted, time: delistedAt - 1 }))).time, delistedAt)
        // The candles are read as of now, and as of the time when the last interval was still open.
        for (const until of [now, Math.min(now, delistedAt + 1)]) {
          yield* TestClock.setTime(until)
          const from = Math.floor(delistedAt / dayMs - 1) * dayMs
          const fineCandles = yield* readRange(prices, { coin: delisted, timeframe: "5m", from, to: now }, delistedAt)
          for (const timeframe of timeframes) {
            const candles = yield* readRange(prices, { coin: delisted, timeframe, from, to: now }, delistedAt)
            assert.isBelow(candles.at(-1)!.time, delistedAt)
            assert.isTrue(candles.every(({ closed }) => closed))
            assert.deepStrictEqual(candles, foldCandles(fineCandles, timeframe, { until, delistedAt }))
          }
        }
      })
  ),
  backfillCheck<Service, CoinPricesVenue>(({ watermarks }) => watermarks, readContent)
])
