import {
  ExchangeRates,
  type FxPair,
  type FxRate,
  KoreanCoinMarkets,
  type KrwListing,
  type KrwPoint,
  lastInterbankTime,
  NoData,
  type Reading
} from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import type { World } from "../world.ts"
import { findListedCoin, requireData } from "./lookup.ts"
import { getInstants } from "./queryTimes.ts"
import { getNewestTime, simulatedReading } from "./source.ts"

/** Creates a reading of listings. The time of the reading is the time of the newest listing or delisting. */
const makeListingsReading = (listings: ReadonlyArray<KrwListing>, now: number): Reading<ReadonlyArray<KrwListing>> =>
  simulatedReading(
    listings,
    listings.reduce<number | undefined>(
      (newest, { delistedAt, listedAt }) => Math.max(newest ?? listedAt, delistedAt ?? listedAt),
      undefined
    ) ?? now
  )

export const makeKoreanCoinMarkets = (world: World): KoreanCoinMarkets["Service"] =>
  KoreanCoinMarkets.of({
    tickers: Effect.map(Clock.currentTimeMillis, (now) => simulatedReading(world.korea.getTickers(now), now)),

    history: Effect.fnUntraced(function*(query) {
      const { market, now } = yield* findListedCoin(world, query.coin)
      const exchange = query.exchange ?? world.korea.getMainExchange(market, now)
      if (exchange === undefined) {
        return yield* new NoData({
          subject: `${query.coin} KRW market`,
          reason: { key: "none_on_krw_market", params: { coin: query.coin } }
        })
      }
      const points: Array<KrwPoint> = []
      for (const time of getInstants(query, now)) {
        const point = world.korea.getPoint(market, exchange, time)
        if (point !== undefined) points.push(point)
      }
      yield* requireData(points, query.coin, "KRW market")
      return simulatedReading({ points, gaps: [] }, getNewestTime(points, now))
    }),

    listings: ({ from, to }) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        makeListingsReading(world.korea.getListings(from, Math.min(to, now + 1), now), now)),

    delistings: ({ from, to }) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        makeListingsReading(world.korea.getDelistings(from, Math.min(to, now + 1)), now))
  })

export const makeExchangeRates = (world: World): ExchangeRates["Service"] => {
  const getRate = (pair: FxPair, time: number): FxRate =>
    pair === "usd_krw"
      ? { time, quotedAt: lastInterbankTime(time), pair, rate: world.exchangeRate.getUsdKrw(time) }
      : { time, quotedAt: time, pair, rate: world.exchangeRate.getUsdtKrw(time) }
  return ExchangeRates.of({
    rate: ({ pair, time }) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const rate = getRate(pair, Math.min(time ?? now, now))
        return simulatedReading(rate, rate.quotedAt)
      }),
    history: (query) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const points = getInstants(query, now).map((time) => getRate(query.pair, time))
        return simulatedReading({ points, gaps: [] }, points.at(-1)?.quotedAt ?? now)
      })
  })
}
