/**
 * The part of `MarketStore` about coins: facts, candles, prices, tickers.
 */
import { bucketStart, type Coin, dayMs, durationMs, type MarketStore, NoData, type Ticker } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import type { CoinMarket } from "../coin/CoinMarket.ts"
import { supplyAt } from "../token/stablecoins.ts"
import type { World } from "../world.ts"
import { listedCoin, notListed, orNoData } from "./lookup.ts"

const coinOf = (world: World, market: CoinMarket, now: number): Coin => ({
  ...factsOf(market),
  circulatingSupply: supplyAt(world, market, now)
})

const factsOf = ({ spec, listedAt }: CoinMarket): Omit<Coin, "circulatingSupply"> => ({
  coin: spec.coin,
  name: spec.name,
  sector: spec.sector,
  maxSupply: spec.maxSupply,
  listedAt,
  isStablecoin: spec.isStablecoin
})

const tickerOf = (world: World, market: CoinMarket, now: number): Ticker => {
  const price = market.price(now)
  const from = now - dayMs
  const totals = market.totals(from, now)
  return {
    coin: market.spec.coin,
    time: now,
    price,
    change24hPct: from < market.listedAt ? null : 100 * (price / market.price(from) - 1),
    high24h: Math.max(price, totals?.high ?? price),
    low24h: Math.min(price, totals?.low ?? price),
    volume24hUsd: totals?.quoteVolume ?? 0,
    marketCapUsd: price * supplyAt(world, market, now)
  }
}

export const coinsPart = (world: World) => {
  const listed = (now: number): ReadonlyArray<CoinMarket> => world.markets.filter((market) => market.listedAt <= now)
  const tickers = Effect.map(
    Clock.currentTimeMillis,
    (now) => listed(now).map((market) => tickerOf(world, market, now)).sort((a, b) => b.marketCapUsd - a.marketCapUsd)
  )

  const coins = Effect.map(Clock.currentTimeMillis, (now) =>
    listed(now)
      .map((market) => ({ coin: coinOf(world, market, now), cap: market.price(now) * supplyAt(world, market, now) }))
      .sort((a, b) => b.cap - a.cap)
      .map(({ coin }) => coin))

  const candleRange: MarketStore["Service"]["candleRange"] = Effect.fnUntraced(
    function*({ coin, timeframe, from, to }) {
      const { market, now } = yield* listedCoin(world, coin)
      return yield* orNoData(market.candles(timeframe, from, to, now), coin, `${timeframe} candles`)
    }
  )

  const candles: MarketStore["Service"]["candles"] = Effect.fnUntraced(function*({ coin, timeframe, bars, until }) {
    const { market, now } = yield* listedCoin(world, coin)
    const end = Math.min(until ?? now, now)
    const from = bucketStart(timeframe, end) - (bars - 1) * durationMs[timeframe]
    return yield* orNoData(market.candles(timeframe, from, end + 1, end), coin, `${timeframe} candles`)
  })

  const priceAt: MarketStore["Service"]["priceAt"] = Effect.fnUntraced(function*({ coin, time }) {
    const { market, now } = yield* listedCoin(world, coin)
    if (time > now) {
      return yield* new NoData({ subject: `${coin} price`, reason: { key: "none_yet" } })
    }
    if (time < market.listedAt) return yield* notListed(market, `${coin} price`)
    return { time, price: market.price(time) }
  })

  return {
    coins,
    coin: (coin: string) => Effect.map(listedCoin(world, coin), ({ market, now }) => coinOf(world, market, now)),
    candles,
    candleRange,
    priceAt,
    ticker: (coin: string) => Effect.map(listedCoin(world, coin), ({ market, now }) => tickerOf(world, market, now)),
    tickers
  }
}
