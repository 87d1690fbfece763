/** Implements core's `CoinPrices`: facts, candles and prices of coins. */
import {
  bucketStart,
  type Candle,
  candlesByCoin,
  type ClosedMinutes,
  type Coin,
  CoinPrices,
  dayMs,
  durationMs,
  minuteMs,
  NoData,
  type PricePoint,
  type Ticker,
  type Timeframe
} from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import type { CoinMarket } from "../coin/CoinMarket.ts"
import type { Whole } from "../kernel/whole.ts"
import { supplyAt } from "../token/stablecoins.ts"
import type { World } from "../world.ts"
import { listedCoin, notListed, orNoData } from "./lookup.ts"
import { recordedOf } from "./recorded.ts"
import { simulated, source } from "./source.ts"

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
  delistedAt: null,
  isStablecoin: spec.isStablecoin
})

/** A ticker whose only unknown value can be the 24-hour change, if the coin is younger than a day. */
type WholeTicker = Omit<Whole<Ticker>, "change24hPct"> & Pick<Ticker, "change24hPct">

const tickerOf = (world: World, market: CoinMarket, now: number): WholeTicker => {
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

/** The time up to which candles have data: the end of the last candle, or the present if that candle is still open. */
const lastOf = (candles: ReadonlyArray<Candle>, timeframe: Timeframe, now: number): number =>
  Math.min(now, candles.at(-1)!.time + durationMs[timeframe])

/** The share of the world's coins in the whole market. Other coins are not listed. */
const trackedShare = 0.93

const minutesOf = (world: World): CoinPrices["Service"]["minutes"] =>
  Effect.fnUntraced(function*({ after, coins, until }) {
    const now = yield* Clock.currentTimeMillis
    const last = Math.min(until, now)
    const found = new Map<string, ClosedMinutes>()
    for (const coin of new Set(coins)) {
      // Days of minutes take long, so other fibers can run between two coins.
      yield* Effect.yieldNow
      const market = world.coin(coin)
      if (market === undefined || market.listedAt > now) continue
      const points: Array<PricePoint> = []
      const from = Math.max(after + 1, market.listedAt)
      for (let time = Math.ceil(from / minuteMs) * minuteMs; time <= last; time += minuteMs) {
        points.push({ time, price: market.price(time) })
      }
      found.set(coin, { knownUntil: Math.floor(last / minuteMs) * minuteMs, points })
    }
    const newest = Math.max(...Array.from(found.values(), ({ points }) => points.at(-1)?.time ?? 0))
    return simulated(found, newest <= 0 ? now : newest)
  })

/** The `CoinPrices` port of a world. */
export const coinPrices = (world: World): CoinPrices["Service"] => {
  const listed = (now: number): ReadonlyArray<CoinMarket> => world.markets.filter((market) => market.listedAt <= now)
  const tickers = Effect.map(Clock.currentTimeMillis, (now) =>
    simulated(
      listed(now).map((market) => tickerOf(world, market, now)).sort((a, b) => b.marketCapUsd - a.marketCapUsd),
      now
    ))

  const coins = Effect.map(Clock.currentTimeMillis, (now) =>
    simulated(
      listed(now)
        .map((market) => ({ coin: coinOf(world, market, now), cap: market.price(now) * supplyAt(world, market, now) }))
        .sort((a, b) => b.cap - a.cap)
        .map(({ coin }) => coin),
      now
    ))

  const candleRange: CoinPrices["Service"]["candleRange"] = Effect.fnUntraced(
    function*({ coin, timeframe, from, to }) {
      const { market, now } = yield* listedCoin(world, coin)
      const candles = yield* orNoData(market.candles(timeframe, from, to, now), coin, `${timeframe} candles`)
      return simulated(candles, lastOf(candles, timeframe, now))
    }
  )

  const candles: CoinPrices["Service"]["candles"] = Effect.fnUntraced(function*({ coin, timeframe, bars, until }) {
    const { market, now } = yield* listedCoin(world, coin)
    const end = Math.min(until ?? now, now)
    const from = bucketStart(timeframe, end) - (bars - 1) * durationMs[timeframe]
    const found = yield* orNoData(market.candles(timeframe, from, end + 1, end), coin, `${timeframe} candles`)
    return simulated(found, lastOf(found, timeframe, end))
  })

  const priceAt: CoinPrices["Service"]["priceAt"] = Effect.fnUntraced(function*({ coin, time }) {
    const { market, now } = yield* listedCoin(world, coin)
    if (time > now) {
      return yield* new NoData({ subject: `${coin} price`, reason: { key: "none_yet" } })
    }
    if (time < market.listedAt) return yield* notListed(market, `${coin} price`)
    return simulated({ time, price: market.price(time) }, time)
  })

  const totalMarket = Effect.map(Clock.currentTimeMillis, (now) => {
    const tracked = listed(now).map((market) => tickerOf(world, market, now))
    const whole = (sum: number): number => Math.round(sum / trackedShare)
    return simulated({
      time: now,
      marketCapUsd: whole(tracked.reduce((sum, { marketCapUsd }) => sum + marketCapUsd, 0)),
      volume24hUsd: whole(tracked.reduce((sum, { volume24hUsd }) => sum + volume24hUsd, 0))
    }, now)
  })

  return CoinPrices.of({
    coins,
    coin: (coin) =>
      Effect.map(listedCoin(world, coin), ({ market, now }) => simulated(coinOf(world, market, now), now)),
    candles,
    candleRange,
    recorded: recordedOf(world),
    priceAt,
    minutes: minutesOf(world),
    candlesByCoin: candlesByCoin(candles, source),
    ticker: (coin) =>
      Effect.map(listedCoin(world, coin), ({ market, now }) => simulated(tickerOf(world, market, now), now)),
    tickers,
    totalMarket
  })
}
