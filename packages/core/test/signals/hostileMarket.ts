import {
  type Candle,
  type Coin,
  CoinDerivatives,
  CoinPrices,
  dayMs,
  hourMs,
  type Interval,
  mapReading,
  NoData,
  reading,
  type RecordedRead,
  SocialFeed,
  UnknownSymbol
} from "@tapeline/core"
import { Clock, Effect, Layer } from "effect"
import { type HostileCoin, hostileCoins, hostileHours, hostileStart } from "./hostileCoins.ts"

/**
 * A fixed market of a few coins with all conditions that change results. It has outages of 1 to 30 hours, missed
 * payments, payments every 1, 2, 4 and 8 hours, and missing taker volumes. Some coins have no perpetual. One coin is
 * young, one is delisted, and one is too volatile to trade. Never change this market: the digests of rule versions
 * depend on it.
 */

const coins = new Map(hostileCoins.map((coin) => [coin.coin, coin]))
const source = "hostile"
const absent = Effect.die(new Error("derived data stands on nothing of it"))

const coinOf = (name: string) => {
  const coin = coins.get(name)
  return coin === undefined ? Effect.fail(new UnknownSymbol({ symbol: name })) : Effect.succeed(coin)
}

/** The values of a series in the interval that are not in the future. */
const within = Effect.fnUntraced(function*<A extends { readonly time: number }>(
  symbol: string,
  series: ReadonlyArray<A>,
  { from, to }: Interval
) {
  const now = yield* Clock.currentTimeMillis
  const found = series.filter(({ time }) => time >= from && time < to && time <= now)
  return found.length === 0
    ? yield* new NoData({ subject: symbol, reason: { key: "none_recorded", params: { symbol } } })
    : reading(found, source, now)
})

/** A candle as of an instant. A running candle has only its open. */
const asOf = (lengthMs: number, now: number) => (candle: Candle): Candle =>
  candle.time + lengthMs <= now
    ? candle
    : { ...candle, high: candle.open, low: candle.open, close: candle.open, closed: false }

const factsOf = ({ coin, delistedAt, listedAt }: HostileCoin): Coin => ({
  coin,
  name: coin,
  sector: "layer1",
  circulatingSupply: 1e6,
  maxSupply: null,
  listedAt,
  delistedAt,
  isStablecoin: false
})

const recordedOf = (has: (coin: HostileCoin) => boolean): RecordedRead => (asked) =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const known = asked.flatMap((name) => coins.get(name) ?? []).filter(has)
    return reading(new Map(known.map(({ coin }) => [coin, { contiguousUntil: now, revision: "0" }])), source, now)
  })

const prices = Layer.succeed(CoinPrices, {
  coins: Effect.map(
    Clock.currentTimeMillis,
    (now) => reading(hostileCoins.filter(({ listedAt }) => listedAt <= now).map(factsOf), source, now)
  ),
  coin: (name) =>
    Effect.zipWith(coinOf(name), Clock.currentTimeMillis, (coin, now) => reading(factsOf(coin), source, now)),
  candles: () => absent,
  candleRange: Effect.fnUntraced(function*({ coin, timeframe, ...interval }) {
    const { days, hours } = yield* coinOf(coin)
    const found = yield* within(coin, timeframe === "1h" ? hours : days, interval)
    return mapReading(found, (candles) => candles.map(asOf(timeframe === "1h" ? hourMs : dayMs, found.asOf)))
  }),
  recorded: recordedOf(() => true),
  priceAt: () => absent,
  minutes: () => absent,
  candlesByCoin: () => absent,
  ticker: () => absent,
  tickers: absent,
  totalMarket: absent
})

const derivatives = Layer.succeed(CoinDerivatives, {
  perpetual: () => absent,
  perpetuals: absent,
  perpetualHistory: Effect.fnUntraced(function*({ coin, stepMs, ...interval }) {
    const { perpetual } = yield* coinOf(coin)
    const found = yield* within(coin, perpetual, interval)
    return mapReading(found, (points) => ({ points: points.filter(({ time }) => time % stepMs === 0), gaps: [] }))
  }),
  fundingPrints: ({ coin, ...interval }) =>
    Effect.flatMap(coinOf(coin), ({ fundingPrints }) => within(coin, fundingPrints, interval)),
  recorded: recordedOf(({ perpetual }) => perpetual.length > 0),
  fundingByVenue: () => absent,
  openInterestByVenue: () => absent,
  takerFlow: () => absent,
  futures: () => absent,
  liquidations: () => absent
})

/** Posts about BTC. On some days they were not counted, and on some days they had no sentiment. */
const activity = Array.from({ length: hostileHours / 24 }, (_, day) => ({
  time: hostileStart + day * dayMs,
  mentions: 100,
  authors: 50,
  sentiment: day % 11 === 3 ? null : ((day * 37) % 21 - 10) / 12
})).filter((_, day) => day % 13 !== 5)

const social = Layer.succeed(SocialFeed, {
  posts: () => absent,
  activity: ({ coin, stepMs: _, ...interval }) =>
    Effect.map(
      within(coin, coin === "BTC" ? activity : [], interval),
      (found) => mapReading(found, (points) => ({ points, gaps: [] }))
    ),
  recorded: recordedOf(({ coin }) => coin === "BTC"),
  activityByCoin: () => absent
})

export const hostileMarket = Layer.mergeAll(prices, derivatives, social)
