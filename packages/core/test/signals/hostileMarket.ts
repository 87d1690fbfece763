import {
  type Candle,
  type Coin,
  CoinDerivatives,
  CoinPrices,
  dayMs,
  hourMs,
  type Interval,
  makeReading,
  mapReading,
  NoData,
  SocialFeed,
  UnknownSymbol,
  type WatermarkRead
} from "@tapeline/core"
import { Clock, Effect, Layer } from "effect"
import { type HostileCoin, hostileCoins, hostileHours, hostileStart } from "./hostileCoins.ts"

/**
 * A fixed market with all conditions that change results, such as outages, missed payments and a delisted coin. Never
 * change the market, because the digests of rule versions depend on it.
 */

const coins = new Map(hostileCoins.map((coin) => [coin.coin, coin]))
const source = "hostile"
const notProvided = Effect.die(new Error("derived data does not use this method"))

const findCoin = (name: string) => {
  const coin = coins.get(name)
  return coin === undefined ? Effect.fail(new UnknownSymbol({ symbol: name })) : Effect.succeed(coin)
}

const readInterval = Effect.fnUntraced(function*<A extends { readonly time: number }>(
  symbol: string,
  series: ReadonlyArray<A>,
  { from, to }: Interval
) {
  const now = yield* Clock.currentTimeMillis
  const points = series.filter(({ time }) => time >= from && time < to && time <= now)
  return points.length === 0
    ? yield* new NoData({ subject: symbol, reason: { key: "none_recorded", params: { symbol } } })
    : makeReading(points, source, now)
})

/** Returns a candle as it was at an instant. A candle that is still running has only its open. */
const toCandleAt = (lengthMs: number, now: number) => (candle: Candle): Candle =>
  candle.time + lengthMs <= now
    ? candle
    : { ...candle, high: candle.open, low: candle.open, close: candle.open, closed: false }

const toCoin = ({ coin, delistedAt, listedAt }: HostileCoin): Coin => ({
  coin,
  name: coin,
  sector: "layer1",
  circulatingSupply: 1e6,
  maxSupply: null,
  listedAt,
  delistedAt,
  isStablecoin: false
})

const makeRecordedRead = (hasSeries: (coin: HostileCoin) => boolean): WatermarkRead => (requestedCoins) =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const knownCoins = requestedCoins.flatMap((name) => coins.get(name) ?? []).filter(hasSeries)
    return makeReading(
      new Map(knownCoins.map(({ coin }) => [coin, { contiguousUntil: now, revision: "0" }])),
      source,
      now
    )
  })

const prices = Layer.succeed(CoinPrices, {
  coins: Effect.map(
    Clock.currentTimeMillis,
    (now) => makeReading(hostileCoins.filter(({ listedAt }) => listedAt <= now).map(toCoin), source, now)
  ),
  coin: (name) =>
    Effect.zipWith(findCoin(name), Clock.currentTimeMillis, (coin, now) => makeReading(toCoin(coin), source, now)),
  candles: () => notProvided,
  candleRange: Effect.fnUntraced(function*({ coin, timeframe, ...interval }) {
    const { days, hours } = yield* findCoin(coin)
    const candleReading = yield* readInterval(coin, timeframe === "1h" ? hours : days, interval)
    return mapReading(
      candleReading,
      (candles) => candles.map(toCandleAt(timeframe === "1h" ? hourMs : dayMs, candleReading.asOf))
    )
  }),
  watermarks: makeRecordedRead(() => true),
  priceAt: () => notProvided,
  minutes: () => notProvided,
  candlesByCoin: () => notProvided,
  ticker: () => notProvided,
  tickers: notProvided,
  totalMarket: notProvided
})

const derivatives = Layer.succeed(CoinDerivatives, {
  perpetual: () => notProvided,
  perpetuals: notProvided,
  perpetualHistory: Effect.fnUntraced(function*({ coin, stepMs, ...interval }) {
    const { perpetual } = yield* findCoin(coin)
    const pointReading = yield* readInterval(coin, perpetual, interval)
    return mapReading(
      pointReading,
      (points) => ({ points: points.filter(({ time }) => time % stepMs === 0), gaps: [] })
    )
  }),
  fundingPayments: ({ coin, ...interval }) =>
    Effect.flatMap(findCoin(coin), ({ fundingPayments }) => readInterval(coin, fundingPayments, interval)),
  watermarks: makeRecordedRead(({ perpetual }) => perpetual.length > 0),
  fundingByVenue: () => notProvided,
  openInterestByVenue: () => notProvided,
  takerFlow: () => notProvided,
  futures: () => notProvided,
  liquidations: () => notProvided
})

/** The daily numbers of posts about BTC. Some days are missing, and some days have no sentiment. */
const activity = Array.from({ length: hostileHours / 24 }, (_, day) => ({
  time: hostileStart + day * dayMs,
  mentions: 100,
  authors: 50,
  sentiment: day % 11 === 3 ? null : ((day * 37) % 21 - 10) / 12
})).filter((_, day) => day % 13 !== 5)

const social = Layer.succeed(SocialFeed, {
  posts: () => notProvided,
  activity: ({ coin, stepMs: _, ...interval }) =>
    Effect.map(
      readInterval(coin, coin === "BTC" ? activity : [], interval),
      (activityReading) => mapReading(activityReading, (points) => ({ points, gaps: [] }))
    ),
  watermarks: makeRecordedRead(({ coin }) => coin === "BTC"),
  activityByCoin: () => notProvided
})

export const hostileMarket = Layer.mergeAll(prices, derivatives, social)
