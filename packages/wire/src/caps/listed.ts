import type { Coin, CoinPrices, Ticker, TotalMarket } from "@tapeline/core/market"
import { Effect } from "effect"

/** A coin that trades, with its market, the largest first. */
export interface Listed {
  readonly coin: Coin
  readonly ticker: Ticker
}

/** What lists of coins tell of a market's own. */
export const listedCoins = (prices: CoinPrices["Service"]): Effect.Effect<ReadonlyArray<Listed>> =>
  Effect.gen(function*() {
    const coins = new Map((yield* prices.coins).value.map((coin) => [coin.coin, coin]))
    return (yield* prices.tickers).value.flatMap((ticker) => {
      const coin = coins.get(ticker.coin)
      return coin === undefined ? [] : [{ coin, ticker }]
    })
  }).pipe(Effect.orDie)

export const wholeMarket = (prices: CoinPrices["Service"]): Effect.Effect<TotalMarket> =>
  Effect.map(Effect.orDie(prices.totalMarket), ({ value }) => value)

/** A name that stands in an identifier. */
export const slugOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/gu, "-")
