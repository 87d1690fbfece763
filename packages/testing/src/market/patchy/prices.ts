import {
  type Candle,
  type Coin,
  CoinPrices,
  dayMs,
  durationMs,
  mapReading,
  type MarketRead,
  priceLagMs,
  type Ticker,
  type Timeframe
} from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { asRecorded, ended, kept, nothingRecorded, type Patched, recordedLess, touched } from "./patches.ts"

/** Fails for a coin that has ended by an instant. */
const alive = ({ delistedAt }: Patched, coin: string, time: number) => {
  const end = delistedAt(coin)
  return end !== null && time >= end ? Effect.fail(ended(coin, end)) : Effect.void
}

const whole = Effect.fnUntraced(function*(
  { delistedAt, gapsAt, isBare }: Patched,
  coin: string,
  timeframe: Timeframe,
  read: MarketRead<ReadonlyArray<Candle>>
) {
  const now = yield* Clock.currentTimeMillis
  const gaps = gapsAt(now)
  const length = durationMs[timeframe]
  const end = delistedAt(coin) ?? Infinity
  const candles = yield* read
  const asOf = Math.min(candles.asOf, end)
  const left = yield* kept(
    candles,
    ({ time }) => time < end && !touched(gaps, time, Math.min(time + length, now + 1)),
    ({ time }) => Math.min(asOf, time + length),
    coin
  ).pipe(
    Effect.catchTag("NoData", (error) => candles.asOf >= end ? Effect.fail(ended(coin, end)) : Effect.fail(error))
  )
  return isBare(coin)
    ? mapReading(left, (all) => all.map((candle) => ({ ...candle, takerBuyVolume: null })))
    : left
})

const tickerOf = ({ isBare, recorded }: Patched, ticker: Ticker, now: number): Ticker => {
  const before = ticker.time - dayMs
  return {
    ...ticker,
    change24hPct: recorded(before, now) === before ? ticker.change24hPct : null,
    marketCapUsd: isBare(ticker.coin) ? null : ticker.marketCapUsd
  }
}

export const patchPrices = (prices: CoinPrices["Service"], patched: Patched): CoinPrices["Service"] => {
  const { delistedAt, isBare, recorded } = patched

  const coinOf = (coin: Coin): Coin => ({
    ...coin,
    circulatingSupply: isBare(coin.coin) ? null : coin.circulatingSupply,
    delistedAt: delistedAt(coin.coin)
  })

  return {
    coins: Effect.map(prices.coins, (coins) =>
      mapReading(coins, (all) => {
        const facts = all.map(coinOf)
        return [
          ...facts.filter((coin) => coin.delistedAt === null),
          ...facts.filter((coin) => coin.delistedAt !== null)
        ]
      })),
    coin: (coin) => Effect.map(prices.coin(coin), (facts) => mapReading(facts, coinOf)),
    candles: (query) => whole(patched, query.coin, query.timeframe, prices.candles(query)),
    candleRange: (query) => whole(patched, query.coin, query.timeframe, prices.candleRange(query)),
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
