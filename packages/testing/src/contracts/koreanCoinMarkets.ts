import { assert } from "@effect/vitest"
import {
  dayMs,
  type Gap,
  hourMs,
  KoreanCoinMarkets,
  type KrwExchange,
  type KrwListing,
  type KrwTicker,
  minuteMs
} from "@tapeline/core/market"
import { Effect } from "effect"
import {
  assertAscending,
  assertDescending,
  assertFiniteNumbers,
  assertPresent,
  assertRecent,
  assertSeparateGaps,
  assertWithin,
  type CaseOrWaiver,
  makeWaivableCheck,
  marketSuite,
  newestTime,
  readDatedValue,
  readErrorTag,
  readValue,
  unlistedName,
  type VenueTime
} from "../market/marketSuite.ts"
import { assertOutage, getInstants, isInGap } from "../market/timeGrid.ts"
import { nullIfNoData } from "./recordedChecks.ts"

interface Market {
  readonly coin: string
  readonly exchange: KrwExchange
}

/** The facts about a venue that the contract tests of `KoreanCoinMarkets` need. */
export interface KoreanVenue extends VenueTime {
  /** A coin that traded against the won in the two days before `now`. */
  readonly coin: string
  readonly unlisted: string
  /** An outage of at least half an hour. At `now`, the venue has no data of the coin for the outage. */
  readonly outage: CaseOrWaiver<Gap>
  readonly quoteless: CaseOrWaiver<string>
  /** A market that opened in the 24 hours before `now`. */
  readonly listing: CaseOrWaiver<Market>
  /** A market that closed in the 120 days before `now`. */
  readonly delisting: CaseOrWaiver<Market>
  /** A coin that an exchange closed in the 120 days before `now`, and that no exchange trades at `now`. */
  readonly closedCoin: CaseOrWaiver<string>
}

type Service = KoreanCoinMarkets["Service"]

const isSameMarket = ({ coin, exchange }: Market) => (other: Market): boolean =>
  other.coin === coin && other.exchange === exchange

/**
 * Checks the ratio of a won price to a foreign price. The limits are wide, because the won price of a new market can
 * have a high premium.
 */
const assertPremium = (ratio: number): void => {
  assert.isAbove(ratio, 1 / 4)
  assert.isBelow(ratio, 4)
}

const assertTicker = ({ change24hPct, krwPrice, listedAt, time, usdtPrice, volume24hKrw }: KrwTicker, now: number) => {
  assert.isAbove(time, now - dayMs)
  assert.isAbove(krwPrice, 0)
  assert.isAtLeast(volume24hKrw, 0)
  if (usdtPrice !== null) assert.isAbove(usdtPrice, 0)
  if (listedAt === null) return
  assert.isAtMost(listedAt, time)
  if (time - listedAt < dayMs) assert.isNull(change24hPct)
}

/** Compares the 24-hour change of a ticker with the price 24 hours earlier, if a price was recorded then. */
const assertDayChange = Effect.fnUntraced(
  function*(markets: Service, { change24hPct, coin, exchange, krwPrice, time }: KrwTicker) {
    const dayAgo = time - dayMs
    const query = { coin, exchange, stepMs: 5 * minuteMs, from: dayAgo - 5 * minuteMs + 1, to: dayAgo + 1 }
    const before = (yield* nullIfNoData(readValue(markets.history(query))))?.points[0]
    if (change24hPct === null || before === undefined) return
    assert.closeTo(change24hPct, 100 * (krwPrice / before.krwPrice - 1), 2)
  }
)

/** Returns the newest time at which a market opened or closed. */
const newestChangeTime = (listings: ReadonlyArray<KrwListing>, now: number) =>
  newestTime(listings.flatMap(({ delistedAt, listedAt }) => delistedAt ?? listedAt), now)

/** Defines the contract tests of `KoreanCoinMarkets`. */
export const koreanCoinMarketsContract = marketSuite<KoreanCoinMarkets, Service, KoreanVenue>(
  KoreanCoinMarkets,
  [
    [
      "lists every open market once, each with its own time, largest volume first",
      (markets, { coin, now }) =>
        Effect.gen(function*() {
          const tickers = yield* readDatedValue(markets.tickers, (all, now) =>
            newestTime(all.map(({ time }) => time), now))
          assertFiniteNumbers(tickers)
          assertDescending(tickers.map(({ volume24hKrw }) =>
            volume24hKrw
          ))
          const names = tickers.map((ticker) => `${ticker.coin} ${ticker.exchange}`)
          assert.strictEqual(new Set(names).size, names.length)
          for (const ticker of tickers) assertTicker(ticker, now)
          const ownTickers = tickers.filter((ticker) => ticker.coin === coin)
          assert.isAbove(ownTickers.length, 0)
          for (const ticker of ownTickers) {
            assertRecent(ticker.time, now)
            yield* assertDayChange(markets, ticker)
          }
          // Every market implies a similar won price of a dollar, apart from a premium.
          const impliedRates = tickers.flatMap(({ krwPrice, usdtPrice }) =>
            usdtPrice === null ? [] : [krwPrice / usdtPrice]
          )
          const medianRate = impliedRates.toSorted((a, b) => a - b)[impliedRates.length >> 1]!
          for (const one of impliedRates) assertPremium(one / medianRate)
          const { points } = yield* readValue(
            markets.history({ coin, stepMs: hourMs, from: now - 6 * hourMs, to: now })
          )
          for (const { usdtKrw } of points) if (usdtKrw !== null) assert.closeTo(medianRate / usdtKrw, 1, 0.3)
        })
    ],
    [
      "history has every instant of the grid except in gaps, with prices that imply a premium",
      (markets, { coin, now }) =>
        Effect.gen(function*() {
          const query = { coin, stepMs: hourMs, from: now - 2 * dayMs, to: now + dayMs }
          const { gaps, points } = yield* readDatedValue(
            markets.history(query),
            ({ points }, now) => newestTime(points.map(({ time }) => time), now)
          )
          assertWithin(points, query, now)
          assertSeparateGaps(gaps, query)
          assertFiniteNumbers(points)
          // The newest point may not have arrived when the test reads the points.
          const arrivedUntil = now - 5 * minuteMs
          assert.deepStrictEqual(
            points.map(({ time }) => time).filter((time) => time <= arrivedUntil),
            getInstants(query, arrivedUntil).filter((time) => !isInGap(gaps, time))
          )
          for (const { krwPrice, usdKrw, usdtKrw, usdtPrice } of points) {
            for (const price of [krwPrice, usdKrw, usdtKrw, usdtPrice]) if (price !== null) assert.isAbove(price, 0)
            if (usdtPrice !== null && usdtKrw !== null) assertPremium(krwPrice / (usdtPrice * usdtKrw))
            if (usdKrw !== null && usdtKrw !== null) assert.isBelow(Math.abs(Math.log(usdtKrw / usdKrw)), Math.log(1.3))
          }
        })
    ],
    [
      "history is from the exchange with the largest volume, unless an exchange is given",
      (markets, { coin, now }) =>
        Effect.gen(function*() {
          const tickers = yield* readValue(markets.tickers)
          const firstByCoin = new Map(tickers.toReversed().map((ticker) => [ticker.coin, ticker]))
          const otherExchanges = [...firstByCoin.values()].filter(({ exchange }) =>
            exchange !== firstByCoin.get(coin)!.exchange
          )
          for (const { coin: one, exchange } of [firstByCoin.get(coin)!, ...otherExchanges.slice(0, 2)]) {
            const query = { coin: one, stepMs: hourMs, from: now - 2 * hourMs, to: now }
            assert.deepStrictEqual(
              yield* readValue(markets.history(query)),
              yield* readValue(markets.history({ exchange, ...query }))
            )
          }
        })
    ],
    makeWaivableCheck(
      "an outage is a gap without prices",
      ({ outage }) => outage,
      (markets, outage, { coin }) =>
        Effect.gen(function*() {
          const query = { coin, stepMs: 5 * minuteMs, from: outage.from - hourMs, to: outage.to + hourMs }
          const { gaps, points } = yield* readValue(markets.history(query))
          assert.isAbove(points.length, 0)
          assertOutage(outage, gaps, points.map(({ time }) => time))
        })
    ),
    makeWaivableCheck(
      "a coin without a foreign quote has no USDT price",
      ({ quoteless }) => quoteless,
      (markets, coin, { now }) =>
        Effect.gen(function*() {
          const ownTickers = (yield* readValue(markets.tickers)).filter((ticker) => ticker.coin === coin)
          assert.isAbove(ownTickers.length, 0)
          for (const { usdtPrice } of ownTickers) assert.isNull(usdtPrice)
          const { points } = yield* readValue(
            markets.history({ coin, stepMs: hourMs, from: now - 6 * hourMs, to: now })
          )
          for (const { usdtPrice } of points) assert.isNull(usdtPrice)
        })
    ),
    [
      "listings and delistings are within the half-open interval and not in the future",
      (markets, { now }) =>
        Effect.gen(function*() {
          const interval = { from: now - 120 * dayMs, to: now + 30 * dayMs }
          const listings = yield* readDatedValue(markets.listings(interval), newestChangeTime)
          const delistings = yield* readDatedValue(markets.delistings(interval), newestChangeTime)
          assertAscending(listings.map(({ listedAt }) => listedAt), "events")
          assertAscending(delistings.map(({ delistedAt }) => delistedAt!), "events")
          for (const { delistedAt, listedAt } of [...listings, ...delistings]) {
            assert.isAtMost(listedAt, now)
            if (delistedAt !== null) {
              assert.isAbove(delistedAt, listedAt)
              assert.isAtMost(delistedAt, now)
            }
          }
          for (const listing of listings) {
            if (listing.delistedAt !== null) assert.deepInclude(delistings, listing)
          }
          const open = yield* readValue(markets.tickers)
          for (const { coin, delistedAt, exchange, listedAt } of listings) {
            if (delistedAt !== null) continue
            assert.include([listedAt, null], assertPresent(open.find(isSameMarket({ coin, exchange })), coin).listedAt)
          }
        })
    ],
    makeWaivableCheck("a recently opened market is among the listings and the tickers", ({ listing }) => listing, (
      markets,
      { coin, exchange },
      { now }
    ) =>
      Effect.gen(function*() {
        const matches = isSameMarket({ coin, exchange })
        const listings = yield* readValue(markets.listings({ from: now - dayMs, to: now + 1 }))
        const { delistedAt, listedAt } = assertPresent(listings.find(matches), `the listing of ${coin}`)
        assert.isNull(delistedAt)
        const ticker = assertPresent((yield* readValue(markets.tickers)).find(matches), `the ticker of ${coin}`)
        assert.include([listedAt, null], ticker.listedAt)
        const query = { coin, exchange, stepMs: hourMs, from: now - 2 * dayMs, to: now }
        const { points } = (yield* nullIfNoData(readValue(markets.history(query)))) ?? { points: [] }
        for (const { time } of points) assert.isAtLeast(time, listedAt)
      })),
    makeWaivableCheck(
      "a closed market is among the delistings, and no longer open",
      ({ delisting }) => delisting,
      (
        markets,
        { coin, exchange },
        { now }
      ) =>
        Effect.gen(function*() {
          const matches = isSameMarket({ coin, exchange })
          const delistings = yield* readValue(markets.delistings({ from: now - 120 * dayMs, to: now + 1 }))
          const closedMarket = assertPresent(delistings.findLast(matches), `the delisting of ${coin}`)
          const { listedAt } = closedMarket
          const delistedAt = assertPresent(closedMarket.delistedAt, `the delisting time of ${coin}`)
          const ticker = (yield* readValue(markets.tickers)).find(matches)
          // The closed market may have opened again after the delisting.
          if (ticker !== undefined) assert.isAbove(ticker.listedAt ?? Infinity, delistedAt)
          assert.deepInclude(yield* readValue(markets.listings({ from: listedAt, to: listedAt + 1 })), closedMarket)
          const query = { coin, exchange, stepMs: hourMs, from: delistedAt, to: Math.min(now, delistedAt + 6 * hourMs) }
          assert.strictEqual(yield* nullIfNoData(readValue(markets.history(query))), null)
        })
    ),
    makeWaivableCheck(
      "history of a coin without an open market is from the exchange that traded the coin last",
      ({ closedCoin }) => closedCoin,
      (markets, coin, { now }) =>
        Effect.gen(function*() {
          assert.notInclude((yield* readValue(markets.tickers)).map((ticker) => ticker.coin), coin)
          const delistings = yield* readValue(markets.delistings({ from: now - 120 * dayMs, to: now + 1 }))
          const last = assertPresent(delistings.findLast((one) => one.coin === coin), `the delisting of ${coin}`)
          const delistedAt = assertPresent(last.delistedAt, `the delisting time of ${coin}`)
          for (const to of [delistedAt, now]) {
            const query = { coin, stepMs: hourMs, from: delistedAt - 6 * hourMs, to }
            const history = yield* readValue(markets.history(query))
            assert.isAbove(history.points.length, 0)
            assert.deepStrictEqual(history, yield* readValue(markets.history({ ...query, exchange: last.exchange })))
          }
        })
    ),
    [
      "fails with UnknownSymbol for unknown coins, and with NoData without a KRW market",
      (markets, { now, unlisted }) =>
        Effect.gen(function*() {
          const query = { stepMs: hourMs, from: now - dayMs, to: now }
          assert.strictEqual(yield* readErrorTag(markets.history({ coin: unlistedName, ...query })), "UnknownSymbol")
          assert.strictEqual(yield* readErrorTag(markets.history({ coin: unlisted, ...query })), "NoData")
        })
    ]
  ]
)
