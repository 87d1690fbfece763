/** Implements core's `KoreanCoinMarkets` and `ExchangeRates`. */
import {
  ExchangeRates,
  type FxPair,
  type FxRate,
  interbankTime,
  KoreanCoinMarkets,
  type KrwListing,
  type KrwPoint,
  NoData,
  type Reading
} from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import type { World } from "../world.ts"
import { listedCoin, orNoData } from "./lookup.ts"
import { newestOf, simulated } from "./source.ts"
import { instants } from "./steps.ts"

/** A reading of listings, as of the newest listing or delisting. */
const changesOf = (listings: ReadonlyArray<KrwListing>, now: number): Reading<ReadonlyArray<KrwListing>> =>
  simulated(
    listings,
    listings.reduce<number | undefined>(
      (newest, { delistedAt, listedAt }) => Math.max(newest ?? listedAt, delistedAt ?? listedAt),
      undefined
    ) ?? now
  )

/** The `KoreanCoinMarkets` port of a world. */
export const koreanCoinMarkets = (world: World): KoreanCoinMarkets["Service"] =>
  KoreanCoinMarkets.of({
    tickers: Effect.map(Clock.currentTimeMillis, (now) => simulated(world.korea.tickers(now), now)),

    history: Effect.fnUntraced(function*(query) {
      const { market, now } = yield* listedCoin(world, query.coin)
      const end = Math.min(query.to, now)
      const open = query.exchange ?? world.korea.mainExchange(market, now) ?? world.korea.mainExchange(market, end)
      if (open === undefined) {
        return yield* new NoData({
          subject: `${query.coin} KRW market`,
          reason: { key: "none_on_krw_market", params: { coin: query.coin } }
        })
      }
      const points: Array<KrwPoint> = []
      for (const time of instants(query, now)) {
        const point = world.korea.point(market, open, time)
        if (point !== undefined) points.push(point)
      }
      yield* orNoData(points, query.coin, "KRW market")
      return simulated({ points, gaps: [] }, newestOf(points, now))
    }),

    listings: ({ from, to }) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        changesOf(world.korea.listings(from, Math.min(to, now + 1), now), now)),

    delistings: ({ from, to }) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        changesOf(world.korea.delistings(from, Math.min(to, now + 1)), now))
  })

/** The `ExchangeRates` port of a world. */
export const exchangeRates = (world: World): ExchangeRates["Service"] => {
  const rateAt = (pair: FxPair, time: number): FxRate =>
    pair === "usd_krw"
      ? { time, quotedAt: interbankTime(time), pair, rate: world.fx.usdKrw(time) }
      : { time, quotedAt: time, pair, rate: world.fx.usdtKrw(time) }
  return ExchangeRates.of({
    rate: ({ pair, time }) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const rate = rateAt(pair, Math.min(time ?? now, now))
        return simulated(rate, rate.quotedAt)
      }),
    history: (query) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const points = instants(query, now).map((time) => rateAt(query.pair, time))
        return simulated({ points, gaps: [] }, points.at(-1)?.quotedAt ?? now)
      })
  })
}
