import { Effect } from "effect"
import { rememberMarkets } from "../collect/marketLists.ts"
import { type OrderBookVenue, tradingMarketsByCoin } from "../spot/orderBookCollector.ts"
import type { SpotVenue } from "../spot/SpotVenue.ts"
import type { BinanceSpot } from "./spot.ts"

const quote = "USDT"

export const binanceSpotVenue = (spot: BinanceSpot["Service"]): SpotVenue => ({
  name: "binance",
  symbolOf: (coin) => `${coin}${quote}`,
  maxCandles: 1_000,
  markets: rememberMarkets(spot.markets(quote)),
  fetchOpeningTime: (symbol) => Effect.map(spot.firstMinute(symbol), ({ value }) => value),
  candles: spot.candles,
  tickers: (markets) => Effect.map(spot.tickers(markets), ({ value }) => value)
})

export const binanceOrderBookVenue = (spot: BinanceSpot["Service"]): OrderBookVenue => ({
  name: "binance",
  markets: tradingMarketsByCoin(spot.markets(quote)),
  book: (symbol) => Effect.map(spot.orderBook(symbol), ({ value }) => value)
})
