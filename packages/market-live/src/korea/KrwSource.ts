import type { Interval, KrwTicker, SourceUnavailable } from "@tapeline/core/market"
import type { Effect } from "effect"
import type { RetryPolicy, SourceResponse } from "../source/index.ts"
import type { KrwCandleLength, KrwCandles } from "./candles.ts"

/** A coin's market in won on a Korean exchange. */
export interface KrwMarket {
  readonly coin: string
  /** The coin's Korean name, or null if the exchange has none. */
  readonly koreanName: string | null
  readonly englishName: string | null
  /** Whether the exchange warns that the market may be delisted. */
  readonly isWarned: boolean
  /** The exchange's names of active cautions, such as `TRADING_VOLUME_SOARING`. */
  readonly cautions: ReadonlyArray<string>
}

/** The current data of a won market, without foreign prices, and without the prices of 24 hours ago. */
export type KrwQuote = Pick<KrwTicker, "coin" | "exchange" | "krwPrice" | "time" | "volume24hKrw">

/** The first trade of a market. The market's first trade happened between `time` and `time + withinMs`. */
export interface FirstTrade {
  readonly time: number
  readonly withinMs: number
}

type Read<A> = Effect.Effect<SourceResponse<A>, SourceUnavailable>

/** An exchange with won markets of coins. */
export interface KrwSource {
  /** Lists every open won market; `skippedRows` contains the names of unreadable rows, such as `KRW-BTC`. */
  readonly markets: Read<ReadonlyArray<KrwMarket>>
  /**
   * Fetches the current data of the coins' markets that have traded. An unlisted coin may make the whole request for
   * tickers fail.
   */
  readonly tickers: (coins: ReadonlyArray<string>) => Read<ReadonlyArray<KrwQuote>>
  /** Fetches the candles that open in the interval, at most the newest 200, or null if the coin has no market. */
  readonly candles: (
    query: { readonly coin: string; readonly length: "1m" | "5m" } & Interval
  ) => Read<KrwCandles | null>
  /**
   * Returns the start time of the oldest of the last 200 candles before the time `before`, or null if no candle or
   * market exists.
   */
  readonly oldestCandleAt: (
    query: { readonly coin: string; readonly length: KrwCandleLength; readonly before?: number }
  ) => Read<number | null>
}

export interface KrwSourceOptions {
  readonly baseUrl?: string | undefined
  readonly retryPolicy?: Partial<RetryPolicy>
}
