import type { Candle, Interval, SourceUnavailable, Ticker } from "@tapeline/core/market"
import type { Effect } from "effect"
import type { MarketList } from "../collect/marketLists.ts"
import type { SourceResponse } from "../source/index.ts"
import type { SpotMarket } from "../venues/contracts.ts"

/** The data of a venue's spot markets. */
export interface SpotVenue {
  readonly name: string
  readonly symbolOf: (coin: string) => string
  readonly maxCandles: number
  /** Lists the spot markets that are quoted in USDT. */
  readonly markets: Effect.Effect<MarketList<SpotMarket>, SourceUnavailable>
  /** Returns the time at which a spot market opened, or null if the market does not exist or has no data yet. */
  readonly fetchOpeningTime: (symbol: string) => Effect.Effect<number | null, SourceUnavailable>
  /** Fetches closed and current candles of a spot market, or null if the market does not exist. */
  readonly candles: (
    query: { readonly symbol: string; readonly interval: "1m" | "5m" } & Interval
  ) => Effect.Effect<SourceResponse<ReadonlyArray<Candle> | null>, SourceUnavailable>
  readonly tickers: (
    markets: ReadonlyArray<Pick<SpotMarket, "coin" | "symbol">>
  ) => Effect.Effect<ReadonlyArray<Ticker>, SourceUnavailable>
}
