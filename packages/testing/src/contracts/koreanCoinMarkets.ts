import { assert } from "@effect/vitest"
import { dayMs, hourMs, KoreanCoinMarkets } from "@tapeline/core/market"
import { Effect } from "effect"
import {
  ascend,
  descend,
  gapsAreApart,
  isWritable,
  lieWithin,
  marketSuite,
  nobody,
  type Present,
  refused,
  told,
  toldOf
} from "../market/suite.ts"

/** What the suite is told of a venue. */
export interface KoreanVenue extends Present {
  /** A coin that has traded against the won for the two days before `now`, and one that does not. */
  readonly coin: string
  readonly unlisted: string
}

/** What every `KoreanCoinMarkets` promises, as tests. */
export const koreanCoinMarketsContract = marketSuite<KoreanCoinMarkets, KoreanCoinMarkets["Service"], KoreanVenue>(
  KoreanCoinMarkets,
  [
    [
      "every open market once, at one instant, largest volume first",
      (markets, { coin, now }) =>
        Effect.gen(function*() {
          const tickers = yield* toldOf(markets.tickers, (all) => all[0]!.time)
          isWritable(tickers)
          descend(tickers.map(({ volume24hKrw }) => volume24hKrw))
          const names = tickers.map((ticker) => `${ticker.coin} ${ticker.exchange}`)
          assert.strictEqual(new Set(names).size, names.length)
          assert.strictEqual(new Set(tickers.map(({ time }) => time)).size, 1)
          assert.isTrue(tickers.some((ticker) => ticker.coin === coin))
          for (const { krwPrice, listedAt, usdtPrice, volume24hKrw } of tickers) {
            assert.isAbove(krwPrice, 0)
            assert.isAtLeast(volume24hKrw, 0)
            if (usdtPrice !== null) assert.isAbove(usdtPrice, 0)
            if (listedAt !== null) assert.isAtMost(listedAt, now)
          }
        })
    ],
    [
      "history has the grid's instants within the half-open interval, but for gaps",
      (markets, { coin, now }) =>
        Effect.gen(function*() {
          const query = { coin, stepMs: hourMs, from: now - 2 * dayMs, to: now + dayMs }
          const { gaps, points } = yield* told(markets.history(query))
          lieWithin(points, query, now)
          gapsAreApart(gaps, query)
          isWritable(points)
          assert.isTrue(points.every(({ krwPrice, time }) => krwPrice > 0 && time % hourMs === 0))
          if (gaps.length === 0) assert.strictEqual(points.length, 48)
        })
    ],
    [
      "listings and delistings lie in the half-open interval, and none is of the future",
      (markets, { now }) =>
        Effect.gen(function*() {
          const interval = { from: now - 120 * dayMs, to: now + 30 * dayMs }
          const listings = yield* told(markets.listings(interval))
          const delistings = yield* told(markets.delistings(interval))
          ascend(listings.map(({ listedAt }) => listedAt), "events")
          ascend(delistings.map(({ delistedAt }) => delistedAt!), "events")
          for (const { delistedAt, listedAt } of [...listings, ...delistings]) {
            assert.isAtMost(listedAt, now)
            if (delistedAt !== null) {
              assert.isAbove(delistedAt, listedAt)
              assert.isAtMost(delistedAt, now)
            }
          }
          // What was listed in the interval and has closed since is among the closed ones.
          for (const listing of listings) {
            if (listing.delistedAt !== null) assert.deepInclude(delistings, listing)
          }
          const open = yield* told(markets.tickers)
          for (const { coin, delistedAt, exchange, listedAt } of listings) {
            if (delistedAt !== null) continue
            const ticker = open.find((one) => one.coin === coin && one.exchange === exchange)
            assert.include([listedAt, null], ticker!.listedAt)
          }
        })
    ],
    ["tells the unknown from what has no won market", (markets, { now, unlisted }) =>
      Effect.gen(function*() {
        const query = { stepMs: hourMs, from: now - dayMs, to: now }
        assert.strictEqual(yield* refused(markets.history({ coin: nobody, ...query })), "UnknownSymbol")
        assert.strictEqual(yield* refused(markets.history({ coin: unlisted, ...query })), "NoData")
      })]
  ]
)
