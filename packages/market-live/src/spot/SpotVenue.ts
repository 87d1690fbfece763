import { type Candle, dayMs, type Interval, type SourceUnavailable, type Ticker } from "@tapeline/core/market"
import { Effect } from "effect"
import type { BinanceSpot } from "../binance/spot.ts"
import type { BybitMarket } from "../bybit/market.ts"
import { type MarketList, rememberMarkets } from "../collect/marketLists.ts"
import type { OkxMarket } from "../okx/market.ts"
import type { SourceResponse } from "../source/index.ts"
import type { SpotMarket } from "../venues/contracts.ts"

const quote = "USDT"

/** The data of a venue's spot markets. */
export interface SpotVenue {
  /** The name of the venue in rows and results. */
  readonly name: string
  readonly symbolOf: (coin: string) => string
  /** The maximum number of candles in one response. */
  readonly maxCandles: number
  /** Lists the markets that are quoted in USDT. */
  readonly markets: Effect.Effect<MarketList<SpotMarket>, SourceUnavailable>
  /** Returns the time at which a market opened; null if the market does not exist or has no data yet. */
  readonly fetchOpeningTime: (symbol: string) => Effect.Effect<number | null, SourceUnavailable>
  /** Fetches closed and current candles; null if the market does not exist. */
  readonly candles: (
    query: { readonly symbol: string; readonly interval: "1m" | "5m" } & Interval
  ) => Effect.Effect<SourceResponse<ReadonlyArray<Candle> | null>, SourceUnavailable>
  readonly tickers: (
    markets: ReadonlyArray<Pick<SpotMarket, "coin" | "symbol">>
  ) => Effect.Effect<ReadonlyArray<Ticker>, SourceUnavailable>
}

const valueOf = <A>({ value }: SourceResponse<A>): A => value

export const binanceSpotVenue = (spot: BinanceSpot["Service"]): SpotVenue => ({
  name: "binance",
  symbolOf: (coin) => `${coin}${quote}`,
  maxCandles: 1_000,
  markets: rememberMarkets(spot.markets(quote)),
  fetchOpeningTime: (symbol) => Effect.map(spot.firstMinute(symbol), valueOf),
  candles: spot.candles,
  tickers: (markets) => Effect.map(spot.tickers(markets), valueOf)
})

/** Returns Bybit as a spot venue. Bybit does not report when a market opened, so the first daily candle is used. */
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
  tickers: (markets) => Effect.map(market.tickers(markets), valueOf)
})

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
  tickers: (markets) => Effect.map(market.tickers(markets), valueOf)
})
