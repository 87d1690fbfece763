import {
  type Candle,
  type Coin,
  CoinPrices,
  dayMs,
  durationMs,
  foldCandles,
  makeCandlesByCoin,
  makeMinutesFromPrices,
  mapReading,
  type MarketRead,
  maxPriceAgeMs,
  type Ticker,
  type Timeframe
} from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import {
  type DefectRules,
  degradeRecordedRead,
  delistedError,
  filterReading,
  isTouchedByGap,
  noDataError,
  readAsRecorded
} from "./defects.ts"

type Service = CoinPrices["Service"]

const failIfDelisted = ({ getDelistedAt }: DefectRules, coin: string, time: number) => {
  const end = getDelistedAt(coin)
  return end !== null && time >= end ? Effect.fail(delistedError(coin, end)) : Effect.void
}

/** Computes the last candle of a delisted market from the 5-minute candles before the delisting. */
const foldLastCandle = (prices: Service, end: number, coin: string, timeframe: Timeframe, candle: Candle) =>
  Effect.map(
    prices.candleRange({ coin, timeframe: "5m", from: candle.time, to: end }),
    ({ value }) => foldCandles(value, timeframe, { until: end, listedAt: value[0]!.time, delistedAt: end })
  )

/**
 * Removes candles that overlap an outage, candles that begin after the delisting of the coin, and all data after
 * `until`.
 */
const filterCandles = Effect.fnUntraced(function*(
  prices: Service,
  { getDelistedAt, gapsAt, isSparse }: DefectRules,
  { coin, timeframe, until = Infinity }: { coin: string; timeframe: Timeframe; until?: number },
  read: MarketRead<ReadonlyArray<Candle>>
) {
  const now = yield* Clock.currentTimeMillis
  const gaps = gapsAt(now)
  const length = durationMs[timeframe]
  const end = getDelistedAt(coin) ?? Infinity
  const visibleUntil = Math.min(now, until)
  const candles = yield* read
  const asOf = Math.min(candles.asOf, end)
  const remaining = yield* filterReading(
    candles,
    ({ time }) => time < end && !isTouchedByGap(gaps, time, Math.min(time + length, visibleUntil + 1, end)),
    ({ time }) => Math.min(asOf, time + length),
    coin
  ).pipe(
    Effect.catchTag(
      "NoData",
      (error) => candles.asOf >= end ? Effect.fail(delistedError(coin, end)) : Effect.fail(error)
    )
  )
  const last = remaining.value.at(-1)!
  const clippedCandles = last.time + length > end && end <= visibleUntil
    ? [...remaining.value.slice(0, -1), ...(yield* foldLastCandle(prices, end, coin, timeframe, last))]
    : remaining.value
  return mapReading(
    remaining,
    () => isSparse(coin) ? clippedCandles.map((candle) => ({ ...candle, takerBuyVolume: null })) : clippedCandles
  )
})

const degradeTicker = ({ gapsAt, isSparse, getRecordedTime }: DefectRules, ticker: Ticker, now: number): Ticker => {
  const before = ticker.time - dayMs
  // The simulated market computes the 24-hour figures from its candles.
  const hasGap = isTouchedByGap(gapsAt(now), before, ticker.time)
  return {
    ...ticker,
    ...(hasGap ? { high24h: null, low24h: null, volume24hUsd: null } : {}),
    change24hPct: getRecordedTime(before, now) === before ? ticker.change24hPct : null,
    marketCapUsd: isSparse(ticker.coin) ? null : ticker.marketCapUsd
  }
}

const degradeReads = (prices: Service, defects: DefectRules): Omit<Service, "minutes" | "candlesByCoin"> => {
  const { getDelistedAt, isSparse, getRecordedTime } = defects

  const degradeCoin = (now: number) => (coin: Coin): Coin => {
    const end = getDelistedAt(coin.coin)
    return {
      ...coin,
      circulatingSupply: isSparse(coin.coin) ? null : coin.circulatingSupply,
      delistedAt: end !== null && end <= now ? end : null
    }
  }

  return {
    coins: Effect.zipWith(Clock.currentTimeMillis, prices.coins, (now, coins) =>
      mapReading(coins, (all) => {
        const facts = all.map(degradeCoin(now))
        return [
          ...facts.filter((coin) => coin.delistedAt === null),
          ...facts.filter((coin) => coin.delistedAt !== null)
        ]
      })),
    coin: (coin) =>
      Effect.zipWith(Clock.currentTimeMillis, prices.coin(coin), (now, facts) => mapReading(facts, degradeCoin(now))),
    candles: (query) => filterCandles(prices, defects, query, prices.candles(query)),
    candleRange: ({ coin, from, timeframe, to }) =>
      filterCandles(prices, defects, { coin, timeframe }, prices.candleRange({ coin, timeframe, from, to })),
    watermarks: degradeRecordedRead(defects, prices.watermarks),
    priceAt: Effect.fnUntraced(function*({ coin, time }) {
      const now = yield* Clock.currentTimeMillis
      yield* failIfDelisted(defects, coin, time)
      const recordedTime = getRecordedTime(time, now)
      if (time - recordedTime > maxPriceAgeMs) return yield* noDataError(coin)
      return yield* prices.priceAt({ coin, time: recordedTime })
    }),
    ticker: Effect.fnUntraced(function*(coin) {
      const now = yield* Clock.currentTimeMillis
      yield* failIfDelisted(defects, coin, now)
      const ticker = yield* readAsRecorded(defects, prices.ticker(coin))
      return mapReading(ticker, (value) => degradeTicker(defects, value, now))
    }),
    tickers: Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      const tickers = yield* readAsRecorded(defects, prices.tickers)
      return mapReading(tickers, (all) => {
        const trading = all.filter(({ coin }) => (getDelistedAt(coin) ?? Infinity) > now)
        const degradedTickers = trading.map((ticker) => degradeTicker(defects, ticker, now))
        return degradedTickers.toSorted((a, b) => (b.marketCapUsd ?? 0) - (a.marketCapUsd ?? 0))
      })
    }),
    totalMarket: readAsRecorded(
      defects,
      Effect.map(prices.totalMarket, (total) => mapReading(total, (value) => ({ ...value, volume24hUsd: null })))
    )
  }
}

export const degradePrices = (prices: Service, defects: DefectRules): Service => {
  const reads = degradeReads(prices, defects)
  // The source that the complete market names for an empty result.
  const source = "simulated"
  return {
    ...reads,
    minutes: makeMinutesFromPrices(reads, source),
    candlesByCoin: makeCandlesByCoin(reads.candles, source)
  }
}
