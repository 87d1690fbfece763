import type { Coin, CoinPrices, Ticker, TotalMarket } from "@tapeline/core/market"
import { Effect } from "effect"

export interface ListedCoin {
  readonly coin: Coin
  readonly ticker: Ticker
}

export const readListedCoins = (prices: CoinPrices["Service"]): Effect.Effect<ReadonlyArray<ListedCoin>> =>
  Effect.gen(function*() {
    const coins = new Map((yield* prices.coins).value.map((coin) => [coin.coin, coin]))
    return (yield* prices.tickers).value.flatMap((ticker) => {
      const coin = coins.get(ticker.coin)
      return coin === undefined ? [] : [{ coin, ticker }]
    })
  }).pipe(Effect.orDie)

export const readTotalMarket = (prices: CoinPrices["Service"]): Effect.Effect<TotalMarket> =>
  Effect.map(Effect.orDie(prices.totalMarket), ({ value }) => value)

export const slugOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/gu, "-")
