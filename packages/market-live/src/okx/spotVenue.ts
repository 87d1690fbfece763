import { Effect } from "effect"
import { rememberMarkets } from "../collect/marketLists.ts"
import { type OrderBookVenue, tradingMarketsByCoin } from "../spot/orderBookCollector.ts"
import type { SpotVenue } from "../spot/SpotVenue.ts"
import type { OkxMarket } from "./market.ts"

const quote = "USDT"

export const okxSpotVenue = (market: OkxMarket["Service"]): SpotVenue => ({
  name: "okx",
  symbolOf: (coin) => `${coin}-${quote}`,
  maxCandles: 100,
  markets: rememberMarkets(market.spotMarkets(quote)),
  fetchOpeningTime: (symbol) =>
    Effect.map(
      market.spotMarkets(quote),
      ({ value }) => value.find((one) => one.symbol === symbol)?.listedAt ?? null
    ),
  candles: market.candles,
  tickers: (markets) => Effect.map(market.tickers(markets), ({ value }) => value)
})

export const okxOrderBookVenue = (market: OkxMarket["Service"]): OrderBookVenue => ({
  name: "okx",
  markets: tradingMarketsByCoin(market.spotMarkets(quote)),
  book: (symbol) => Effect.map(market.orderBook(symbol), ({ value }) => value)
})
