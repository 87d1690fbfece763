import { dayMs } from "@tapeline/core/market"
import { Effect } from "effect"
import { rememberMarkets } from "../collect/marketLists.ts"
import type { SpotVenue } from "../spot/SpotVenue.ts"
import type { BybitMarket } from "./market.ts"

const quote = "USDT"

/** Returns Bybit as a spot venue. The start of a market's first daily candle counts as the market's opening time. */
export const bybitSpotVenue = (market: BybitMarket["Service"]): SpotVenue => ({
  name: "bybit",
  symbolOf: (coin) => `${coin}${quote}`,
  maxCandles: 1_000,
  markets: rememberMarkets(market.spotMarkets(quote)),
  fetchOpeningTime: (symbol) =>
    Effect.flatMap(market.firstMonth(symbol), ({ value: from }) =>
      from === null
        ? Effect.succeed(null)
        : Effect.map(
          market.candles({ symbol, interval: "1d", from, to: from + 32 * dayMs }),
          ({ value: days }) => days?.[0]?.time ?? null
        )),
  candles: market.candles,
  tickers: (markets) => Effect.map(market.tickers(markets), ({ value }) => value)
})
