import {
  type Candle,
  candlesByCoin,
  type Coin,
  CoinPrices,
  dayMs,
  durationMs,
  foldCandles,
  mapReading,
  type MarketRead,
  minutesByPriceAt,
  priceLagMs,
  type Ticker,
  type Timeframe
} from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { asRecorded, ended, kept, nothingRecorded, type Patched, recordedLess, touched } from "./patches.ts"

type Service = CoinPrices["Service"]

/** Fails for a coin that was delisted by an instant. */
const alive = ({ delistedAt }: Patched, coin: string, time: number) => {
  const end = delistedAt(coin)
  return end !== null && time >= end ? Effect.fail(ended(coin, end)) : Effect.void
}

/** The candle in which a market ended, built from the parts before the end. */
const untilEnd = (prices: Service, end: number, coin: string, timeframe: Timeframe, candle: Candle) =>
  Effect.map(
    prices.candleRange({ coin, timeframe: "5m", from: candle.time, to: end }),
    ({ value }) => foldCandles(value, timeframe, { until: end, listedAt: value[0]!.time, delistedAt: end })
  )

/** Filters candles. The reader sees nothing after `until`. */
const whole = Effect.fnUntraced(function*(
  prices: Service,
  { delistedAt, gapsAt, isBare }: Patched,
  { coin, timeframe, until = Infinity }: { coin: string; timeframe: Timeframe; until?: number },
  read: MarketRead<ReadonlyArray<Candle>>
) {
  const now = yield* Clock.currentTimeMillis
  const gaps = gapsAt(now)
  const length = durationMs[timeframe]
  const end = delistedAt(coin) ?? Infinity
  const seen = Math.min(now, until)
  const candles = yield* read
  const asOf = Math.min(candles.asOf, end)
  const left = yield* kept(
    candles,
    ({ time }) => time < end && !touched(gaps, time, Math.min(time + length, seen + 1, end)),
    ({ time }) => Math.min(asOf, time + length),
    coin
  ).pipe(
    Effect.catchTag("NoData", (error) => candles.asOf >= end ? Effect.fail(ended(coin, end)) : Effect.fail(error))
  )
  const last = left.value.at(-1)!
  const cut = last.time + length > end && end <= seen
    ? [...left.value.slice(0, -1), ...(yield* untilEnd(prices, end, coin, timeframe, last))]
    : left.value
  return mapReading(
    left,
    () => isBare(coin) ? cut.map((candle) => ({ ...candle, takerBuyVolume: null })) : cut
  )
})

const tickerOf = ({ gapsAt, isBare, recorded }: Patched, ticker: Ticker, now: number): Ticker => {
  const before = ticker.time - dayMs
  // This venue computes 24-hour figures from its candles.
  const isHoled = touched(gapsAt(now), before, ticker.time)
  return {
    ...ticker,
    ...(isHoled ? { high24h: null, low24h: null, volume24hUsd: null } : {}),
    change24hPct: recorded(before, now) === before ? ticker.change24hPct : null,
    marketCapUsd: isBare(ticker.coin) ? null : ticker.marketCapUsd
  }
}

/** The reads of one coin or of all coins. Reads of many coins are built from them. */
const patchReads = (prices: Service, patched: Patched): Omit<Service, "minutes" | "candlesByCoin"> => {
  const { delistedAt, isBare, recorded } = patched

  const coinOf = (now: number) => (coin: Coin): Coin => {
    const end = delistedAt(coin.coin)
    return {
      ...coin,
      circulatingSupply: isBare(coin.coin) ? null : coin.circulatingSupply,
      delistedAt: end !== null && end <= now ? end : null
    }
  }

  return {
    coins: Effect.zipWith(Clock.currentTimeMillis, prices.coins, (now, coins) =>
      mapReading(coins, (all) => {
        const facts = all.map(coinOf(now))
        return [
          ...facts.filter((coin) => coin.delistedAt === null),
          ...facts.filter((coin) => coin.delistedAt !== null)
        ]
      })),
    coin: (coin) =>
      Effect.zipWith(Clock.currentTimeMillis, prices.coin(coin), (now, facts) => mapReading(facts, coinOf(now))),
    candles: (query) => whole(prices, patched, query, prices.candles(query)),
    candleRange: ({ coin, from, timeframe, to }) =>
      whole(prices, patched, { coin, timeframe }, prices.candleRange({ coin, timeframe, from, to })),
    recorded: recordedLess(patched, prices.recorded),
    priceAt: Effect.fnUntraced(function*({ coin, time }) {
      const now = yield* Clock.currentTimeMillis
      yield* alive(patched, coin, time)
      const at = recorded(time, now)
      if (time - at > priceLagMs) return yield* nothingRecorded(coin)
      return yield* prices.priceAt({ coin, time: at })
    }),
    ticker: Effect.fnUntraced(function*(coin) {
      const now = yield* Clock.currentTimeMillis
      yield* alive(patched, coin, now)
      const ticker = yield* asRecorded(patched, prices.ticker(coin))
      return mapReading(ticker, (value) => tickerOf(patched, value, now))
    }),
    tickers: Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      const tickers = yield* asRecorded(patched, prices.tickers)
      return mapReading(tickers, (all) => {
        const trading = all.filter(({ coin }) => (delistedAt(coin) ?? Infinity) > now)
        const patchedOnes = trading.map((ticker) => tickerOf(patched, ticker, now))
        return patchedOnes.toSorted((a, b) => (b.marketCapUsd ?? 0) - (a.marketCapUsd ?? 0))
      })
    }),
    totalMarket: asRecorded(
      patched,
      Effect.map(prices.totalMarket, (total) => mapReading(total, (value) => ({ ...value, volume24hUsd: null })))
    )
  }
}

export const patchPrices = (prices: Service, patched: Patched): Service => {
  const reads = patchReads(prices, patched)
  // The source that the venue below names when it finds nothing.
  const source = "simulated"
  return {
    ...reads,
    minutes: minutesByPriceAt(reads, source),
    candlesByCoin: candlesByCoin(reads.candles, source)
  }
}
