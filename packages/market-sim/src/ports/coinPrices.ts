import {
  bucketStart,
  type Candle,
  type ClosedMinutes,
  type Coin,
  CoinPrices,
  dayMs,
  durationMs,
  makeCandlesByCoin,
  minuteMs,
  NoData,
  type PricePoint,
  type Ticker,
  type Timeframe
} from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import type { CoinMarket } from "../coin/CoinMarket.ts"
import type { Complete } from "../kernel/complete.ts"
import { getSupply } from "../token/supply.ts"
import type { World } from "../world.ts"
import { findListedCoin, makeNotListedError, requireData } from "./lookup.ts"
import { makeRecordedRead } from "./recorded.ts"
import { simulatedReading, source } from "./source.ts"

const makeCoin = (world: World, market: CoinMarket, now: number): Coin => ({
  ...makeCoinFacts(market),
  circulatingSupply: getSupply(world, market, now)
})

const makeCoinFacts = ({ spec, listedAt }: CoinMarket): Omit<Coin, "circulatingSupply"> => ({
  coin: spec.coin,
  name: spec.name,
  sector: spec.sector,
  maxSupply: spec.maxSupply,
  listedAt,
  delistedAt: null,
  isStablecoin: spec.isStablecoin
})

/** A ticker without null values, except for the 24-hour change of a coin that is younger than a day. */
type CompleteTicker = Omit<Complete<Ticker>, "change24hPct"> & Pick<Ticker, "change24hPct">

const makeTicker = (world: World, market: CoinMarket, now: number): CompleteTicker => {
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
    marketCapUsd: price * getSupply(world, market, now)
  }
}

/** Returns the time up to which candles have data: the end of the last candle, or `now` if the last candle is open. */
const getCandlesKnownUntil = (candles: ReadonlyArray<Candle>, timeframe: Timeframe, now: number): number =>
  Math.min(now, candles.at(-1)!.time + durationMs[timeframe])

/** The share of the simulated coins in the total crypto market. */
const listedShareOfMarket = 0.93

const makeMinutesRead = (world: World): CoinPrices["Service"]["minutes"] =>
  Effect.fnUntraced(function*({ after, coins, until }) {
    const now = yield* Clock.currentTimeMillis
    const lastTime = Math.min(until, now)
    const foundCandles = new Map<string, ClosedMinutes>()
    for (const coin of new Set(coins)) {
      // Computing days of minute prices takes long, so the loop lets other fibers run between two coins.
      yield* Effect.yieldNow
      const market = world.coin(coin)
      if (market === undefined || market.listedAt > now) continue
      const points: Array<PricePoint> = []
      const from = Math.max(after + 1, market.listedAt)
      for (let time = Math.ceil(from / minuteMs) * minuteMs; time <= lastTime; time += minuteMs) {
        points.push({ time, price: market.price(time) })
      }
      foundCandles.set(coin, { knownUntil: Math.floor(lastTime / minuteMs) * minuteMs, points })
    }
    const newest = Math.max(...Array.from(foundCandles.values(), ({ points }) => points.at(-1)?.time ?? 0))
    return simulatedReading(foundCandles, newest <= 0 ? now : newest)
  })

export const makeCoinPrices = (world: World): CoinPrices["Service"] => {
  const getListedMarkets = (now: number): ReadonlyArray<CoinMarket> =>
    world.markets.filter((market) => market.listedAt <= now)
  const tickers = Effect.map(Clock.currentTimeMillis, (now) =>
    simulatedReading(
      getListedMarkets(now).map((market) => makeTicker(world, market, now)).sort((a, b) =>
        b.marketCapUsd - a.marketCapUsd
      ),
      now
    ))

  const coins = Effect.map(Clock.currentTimeMillis, (now) =>
    simulatedReading(
      getListedMarkets(now)
        .map((market) => ({
          coin: makeCoin(world, market, now),
          marketCap: market.price(now) * getSupply(world, market, now)
        }))
        .sort((a, b) => b.marketCap - a.marketCap)
        .map(({ coin }) => coin),
      now
    ))

  const candleRange: CoinPrices["Service"]["candleRange"] = Effect.fnUntraced(
    function*({ coin, timeframe, from, to }) {
      const { market, now } = yield* findListedCoin(world, coin)
      const candles = yield* requireData(market.candles(timeframe, from, to, now), coin, `${timeframe} candles`)
      return simulatedReading(candles, getCandlesKnownUntil(candles, timeframe, now))
    }
  )

  const candles: CoinPrices["Service"]["candles"] = Effect.fnUntraced(function*({ coin, timeframe, bars, until }) {
    const { market, now } = yield* findListedCoin(world, coin)
    const end = Math.min(until ?? now, now)
    const from = bucketStart(timeframe, end) - (bars - 1) * durationMs[timeframe]
    const foundCandles = yield* requireData(market.candles(timeframe, from, end + 1, end), coin, `${timeframe} candles`)
    return simulatedReading(foundCandles, getCandlesKnownUntil(foundCandles, timeframe, end))
  })

  const priceAt: CoinPrices["Service"]["priceAt"] = Effect.fnUntraced(function*({ coin, time }) {
    const { market, now } = yield* findListedCoin(world, coin)
    if (time > now) {
      return yield* new NoData({ subject: `${coin} price`, reason: { key: "none_yet" } })
    }
    if (time < market.listedAt) return yield* makeNotListedError(market, `${coin} price`)
    return simulatedReading({ time, price: market.price(time) }, time)
  })

  const totalMarket = Effect.map(Clock.currentTimeMillis, (now) => {
    const listedTickers = getListedMarkets(now).map((market) => makeTicker(world, market, now))
    const scaleToWholeMarket = (sum: number): number => Math.round(sum / listedShareOfMarket)
    return simulatedReading({
      time: now,
      marketCapUsd: scaleToWholeMarket(listedTickers.reduce((sum, { marketCapUsd }) => sum + marketCapUsd, 0)),
      volume24hUsd: scaleToWholeMarket(listedTickers.reduce((sum, { volume24hUsd }) => sum + volume24hUsd, 0))
    }, now)
  })

  return CoinPrices.of({
    coins,
    coin: (coin) =>
      Effect.map(findListedCoin(world, coin), ({ market, now }) => simulatedReading(makeCoin(world, market, now), now)),
    candles,
    candleRange,
    watermarks: makeRecordedRead(world),
    priceAt,
    minutes: makeMinutesRead(world),
    candlesByCoin: makeCandlesByCoin(candles, source),
    ticker: (coin) =>
      Effect.map(
        findListedCoin(world, coin),
        ({ market, now }) => simulatedReading(makeTicker(world, market, now), now)
      ),
    tickers,
    totalMarket
  })
}
