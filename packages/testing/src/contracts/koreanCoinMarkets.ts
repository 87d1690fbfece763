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
import { holdsGap, instantsIn, isOutage } from "../market/grid.ts"
import {
  ascend,
  checkOf,
  descend,
  found,
  gapsAreApart,
  isRecent,
  isWritable,
  type Known,
  lieWithin,
  marketSuite,
  newestOf,
  nobody,
  type Present,
  refused,
  told,
  toldOf
} from "../market/suite.ts"
import { orNothing } from "./recorded.ts"

interface Market {
  readonly coin: string
  readonly exchange: KrwExchange
}

/** The venue facts that the suite needs. */
export interface KoreanVenue extends Present {
  /** A coin that has traded against the won in the two days before `now`, and a coin that has not. */
  readonly coin: string
  readonly unlisted: string
  /** An interval without records of the coin, as known at `now`; at least half an hour. */
  readonly outage: Known<Gap>
  /** A coin with a won market and no quote abroad. */
  readonly quoteless: Known<string>
  /** A market that opened in the 24 hours before `now`, and a market that closed in the 120 days before. */
  readonly listing: Known<Market>
  readonly delisting: Known<Market>
}

type Service = KoreanCoinMarkets["Service"]

const isOf = ({ coin, exchange }: Market) => (one: Market): boolean => one.coin === coin && one.exchange === exchange

/**
 * Checks a ratio of won price to price abroad. A new market can have a high premium, but less than four times the
 * price.
 */
const isPremium = (ratio: number): void => {
  assert.isAbove(ratio, 1 / 4)
  assert.isBelow(ratio, 4)
}

const isTicker = ({ change24hPct, krwPrice, listedAt, time, usdtPrice, volume24hKrw }: KrwTicker, now: number) => {
  assert.isAbove(time, now - dayMs)
  assert.isAbove(krwPrice, 0)
  assert.isAtLeast(volume24hKrw, 0)
  if (usdtPrice !== null) assert.isAbove(usdtPrice, 0)
  if (listedAt === null) return
  assert.isAtMost(listedAt, time)
  if (time - listedAt < dayMs) assert.isNull(change24hPct)
}

/** Checks a ticker's change against the price 24 hours before, if recorded. */
const changesByItsDay = Effect.fnUntraced(
  function*(markets: Service, { change24hPct, coin, exchange, krwPrice, time }: KrwTicker) {
    const then = time - dayMs
    const query = { coin, exchange, stepMs: 5 * minuteMs, from: then - 5 * minuteMs + 1, to: then + 1 }
    const before = (yield* orNothing(told(markets.history(query))))?.points[0]
    if (change24hPct === null || before === undefined) return
    assert.closeTo(change24hPct, 100 * (krwPrice / before.krwPrice - 1), 2)
  }
)

/** Listings have the time of the newest opening or closing. */
const changed = (listings: ReadonlyArray<KrwListing>, now: number) =>
  newestOf(listings.flatMap(({ delistedAt, listedAt }) => delistedAt ?? listedAt), now)

/** The contract tests of `KoreanCoinMarkets`. */
export const koreanCoinMarketsContract = marketSuite<KoreanCoinMarkets, Service, KoreanVenue>(
  KoreanCoinMarkets,
  [
    [
      "every open market once, each as of its own time, largest volume first",
      (markets, { coin, now }) =>
        Effect.gen(function*() {
          const tickers = yield* toldOf(markets.tickers, (all, now) => newestOf(all.map(({ time }) => time), now))
          isWritable(tickers)
          descend(tickers.map(({ volume24hKrw }) => volume24hKrw))
          const names = tickers.map((ticker) => `${ticker.coin} ${ticker.exchange}`)
          assert.strictEqual(new Set(names).size, names.length)
          for (const ticker of tickers) isTicker(ticker, now)
          const own = tickers.filter((ticker) => ticker.coin === coin)
          assert.isAbove(own.length, 0)
          for (const ticker of own) {
            isRecent(ticker.time, now)
            yield* changesByItsDay(markets, ticker)
          }
          // Every market implies about the same won price of a dollar, apart from a premium.
          const dollars = tickers.flatMap(({ krwPrice, usdtPrice }) => usdtPrice === null ? [] : [krwPrice / usdtPrice])
          const dollar = dollars.toSorted((a, b) => a - b)[dollars.length >> 1]!
          for (const one of dollars) isPremium(one / dollar)
          const { points } = yield* told(markets.history({ coin, stepMs: hourMs, from: now - 6 * hourMs, to: now }))
          for (const { usdtKrw } of points) if (usdtKrw !== null) assert.closeTo(dollar / usdtKrw, 1, 0.3)
        })
    ],
    [
      "history has the grid's instants within the half-open interval but for gaps, and legs that make a premium",
      (markets, { coin, now }) =>
        Effect.gen(function*() {
          const query = { coin, stepMs: hourMs, from: now - 2 * dayMs, to: now + dayMs }
          const { gaps, points } = yield* toldOf(
            markets.history(query),
            ({ points }, now) => newestOf(points.map(({ time }) => time), now)
          )
          lieWithin(points, query, now)
          gapsAreApart(gaps, query)
          isWritable(points)
          // The newest point may not have arrived yet.
          const due = now - 5 * minuteMs
          assert.deepStrictEqual(
            points.map(({ time }) => time).filter((time) => time <= due),
            instantsIn(query, due).filter((time) => !holdsGap(gaps, time))
          )
          for (const { krwPrice, usdKrw, usdtKrw, usdtPrice } of points) {
            for (const price of [krwPrice, usdKrw, usdtKrw, usdtPrice]) if (price !== null) assert.isAbove(price, 0)
            if (usdtPrice !== null && usdtKrw !== null) isPremium(krwPrice / (usdtPrice * usdtKrw))
            if (usdKrw !== null && usdtKrw !== null) assert.isBelow(Math.abs(Math.log(usdtKrw / usdKrw)), Math.log(1.3))
          }
        })
    ],
    [
      "history is of the exchange where a coin trades most, unless one is named",
      (markets, { coin, now }) =>
        Effect.gen(function*() {
          const tickers = yield* told(markets.tickers)
          const first = new Map(tickers.toReversed().map((ticker) => [ticker.coin, ticker]))
          const others = [...first.values()].filter(({ exchange }) => exchange !== first.get(coin)!.exchange)
          for (const { coin: one, exchange } of [first.get(coin)!, ...others.slice(0, 2)]) {
            const query = { coin: one, stepMs: hourMs, from: now - 2 * hourMs, to: now }
            assert.deepStrictEqual(
              yield* told(markets.history(query)),
              yield* told(markets.history({ exchange, ...query }))
            )
          }
        })
    ],
    checkOf(
      "an outage is a gap, and no price holds through it",
      ({ outage }) => outage,
      (markets, outage, { coin }) =>
        Effect.gen(function*() {
          const query = { coin, stepMs: 5 * minuteMs, from: outage.from - hourMs, to: outage.to + hourMs }
          const { gaps, points } = yield* told(markets.history(query))
          assert.isAbove(points.length, 0)
          isOutage(outage, gaps, points.map(({ time }) => time))
        })
    ),
    checkOf(
      "what nobody quotes abroad has no price there",
      ({ quoteless }) => quoteless,
      (markets, coin, { now }) =>
        Effect.gen(function*() {
          const own = (yield* told(markets.tickers)).filter((ticker) => ticker.coin === coin)
          assert.isAbove(own.length, 0)
          for (const { usdtPrice } of own) assert.isNull(usdtPrice)
          const { points } = yield* told(markets.history({ coin, stepMs: hourMs, from: now - 6 * hourMs, to: now }))
          for (const { usdtPrice } of points) assert.isNull(usdtPrice)
        })
    ),
    [
      "listings and delistings lie in the half-open interval, and none is of the future",
      (markets, { now }) =>
        Effect.gen(function*() {
          const interval = { from: now - 120 * dayMs, to: now + 30 * dayMs }
          const listings = yield* toldOf(markets.listings(interval), changed)
          const delistings = yield* toldOf(markets.delistings(interval), changed)
          ascend(listings.map(({ listedAt }) => listedAt), "events")
          ascend(delistings.map(({ delistedAt }) => delistedAt!), "events")
          for (const { delistedAt, listedAt } of [...listings, ...delistings]) {
            assert.isAtMost(listedAt, now)
            if (delistedAt !== null) {
              assert.isAbove(delistedAt, listedAt)
              assert.isAtMost(delistedAt, now)
            }
          }
          // A market that was listed in the interval and has closed since is among the delistings.
          for (const listing of listings) {
            if (listing.delistedAt !== null) assert.deepInclude(delistings, listing)
          }
          const open = yield* told(markets.tickers)
          for (const { coin, delistedAt, exchange, listedAt } of listings) {
            if (delistedAt !== null) continue
            assert.include([listedAt, null], found(open.find(isOf({ coin, exchange })), coin).listedAt)
          }
        })
    ],
    checkOf("a market that opened lately is among the listings and the tickers", ({ listing }) => listing, (
      markets,
      { coin, exchange },
      { now }
    ) =>
      Effect.gen(function*() {
        const is = isOf({ coin, exchange })
        const listings = yield* told(markets.listings({ from: now - dayMs, to: now + 1 }))
        const { delistedAt, listedAt } = found(listings.find(is), `the listing of ${coin}`)
        assert.isNull(delistedAt)
        const ticker = found((yield* told(markets.tickers)).find(is), `the ticker of ${coin}`)
        assert.include([listedAt, null], ticker.listedAt)
        const query = { coin, exchange, stepMs: hourMs, from: now - 2 * dayMs, to: now }
        const { points } = (yield* orNothing(told(markets.history(query)))) ?? { points: [] }
        for (const { time } of points) assert.isAtLeast(time, listedAt)
      })),
    checkOf("a market that closed is among the delistings, and no longer open", ({ delisting }) => delisting, (
      markets,
      { coin, exchange },
      { now }
    ) =>
      Effect.gen(function*() {
        const is = isOf({ coin, exchange })
        const delistings = yield* told(markets.delistings({ from: now - 120 * dayMs, to: now + 1 }))
        const closed = found(delistings.findLast(is), `the delisting of ${coin}`)
        const { listedAt } = closed
        const delistedAt = found(closed.delistedAt, `the end of ${coin}`)
        const ticker = (yield* told(markets.tickers)).find(is)
        // The market may have opened again.
        if (ticker !== undefined) assert.isAbove(ticker.listedAt ?? Infinity, delistedAt)
        assert.deepInclude(yield* told(markets.listings({ from: listedAt, to: listedAt + 1 })), closed)
        const query = { coin, exchange, stepMs: hourMs, from: delistedAt, to: Math.min(now, delistedAt + 6 * hourMs) }
        assert.strictEqual(yield* orNothing(told(markets.history(query))), null)
      })),
    ["tells the unknown from what has no won market", (markets, { now, unlisted }) =>
      Effect.gen(function*() {
        const query = { stepMs: hourMs, from: now - dayMs, to: now }
        assert.strictEqual(yield* refused(markets.history({ coin: nobody, ...query })), "UnknownSymbol")
        assert.strictEqual(yield* refused(markets.history({ coin: unlisted, ...query })), "NoData")
      })]
  ]
)
