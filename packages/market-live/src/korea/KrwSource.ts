import type { Interval, KrwTicker, SourceUnavailable } from "@tapeline/core/market"
import type { Effect } from "effect"
import type { RetryPolicy, SourceResponse } from "../source/index.ts"
import type { KrwCandleLength, KrwCandles } from "./candles.ts"

/** A market against the won. */
export interface KrwMarket {
  readonly coin: string
  /** Null if the exchange has none. */
  readonly koreanName: string | null
  readonly englishName: string | null
  /** Whether the exchange warns that the market may be delisted. */
  readonly isWarned: boolean
  /** The exchange's names of its cautions (`TRADING_VOLUME_SOARING`). */
  readonly cautions: ReadonlyArray<string>
}

/** The present data of a market. Prices abroad and of 24 hours ago come from other sources. */
export type KrwQuote = Pick<KrwTicker, "coin" | "exchange" | "krwPrice" | "time" | "volume24hKrw">

/** The first trade of a market: it happened at `time`, or up to `withinMs` later. */
export interface FirstTrade {
  readonly time: number
  readonly withinMs: number
}

type Read<A> = Effect.Effect<SourceResponse<A>, SourceUnavailable>

/** An exchange of coins against the won. */
export interface KrwSource {
  /** Every open market against the won. `leftOut` names rows that cannot be read, as in `KRW-BTC`. */
  readonly markets: Read<ReadonlyArray<KrwMarket>>
  /**
   * The present data of these coins' markets, each with its own time. Markets without a trade are missing. One unlisted
   * coin may fail the whole request.
   */
  readonly tickers: (coins: ReadonlyArray<string>) => Read<ReadonlyArray<KrwQuote>>
  /**
   * The candles that open in the interval, at most the newest 200. The running candle is not closed. Null if the coin
   * has no market.
   */
  readonly candles: (
    query: { readonly coin: string; readonly length: "1m" | "5m" } & Interval
  ) => Read<KrwCandles | null>
  /**
   * The opening time of the oldest of the newest 200 candles, optionally of those that opened before a time. Null if
   * there is no candle or no market. See `findFirstTrade`.
   */
  readonly oldestCandleAt: (
    query: { readonly coin: string; readonly length: KrwCandleLength; readonly before?: number }
  ) => Read<number | null>
}

export interface KrwSourceOptions {
  readonly baseUrl?: string
  readonly retryPolicy?: Partial<RetryPolicy>
}
