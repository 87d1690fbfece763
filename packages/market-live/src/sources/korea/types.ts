import type { Interval, KrwTicker, SourceUnavailable } from "@tapeline/core/market"
import type { Effect } from "effect"
import type { Answer, Patience } from "../../source/index.ts"
import type { KrwCandleLength, KrwCandles } from "./candles.ts"

/** A market against the won. */
export interface KrwMarket {
  readonly coin: string
  /** Null where the exchange has none. */
  readonly koreanName: string | null
  readonly englishName: string | null
  /** The exchange warns of it: it may be delisted. */
  readonly warned: boolean
  /** What it tells to be careful about, in its own words (`TRADING_VOLUME_SOARING`). */
  readonly cautions: ReadonlyArray<string>
}

/** What an exchange tells of a market now. What the coin costs abroad, and 24 hours ago, is for others to say. */
export type KrwQuote = Pick<KrwTicker, "coin" | "exchange" | "krwPrice" | "time" | "volume24hKrw">

/** When something was traded in a market for the first time, to within so much: it was then, or up to that later. */
export interface FirstTrade {
  readonly time: number
  readonly withinMs: number
}

type Read<A> = Effect.Effect<Answer<A>, SourceUnavailable>

/** An exchange of coins against the won. */
export interface KrwSource {
  /** Every open market against the won. `leftOut` names rows that cannot be read, as in `KRW-BTC`. */
  readonly markets: Read<ReadonlyArray<KrwMarket>>
  /**
   * Markets of these coins now, each as of its own time; one without a trade yet is missing. One that is not listed may
   * fail them all.
   */
  readonly tickers: (coins: ReadonlyArray<string>) => Read<ReadonlyArray<KrwQuote>>
  /**
   * Candles that open in the interval, at most the newest 200; one that still runs is not closed. Null where the coin
   * has no market.
   */
  readonly candles: (
    query: { readonly coin: string; readonly length: "1m" | "5m" } & Interval
  ) => Read<KrwCandles | null>
  /**
   * When the oldest one of the newest 200 candles opened, of those that opened before an instant if one is given; null
   * where there is none, or no market. See `firstTradeOf`.
   */
  readonly oldest: (
    query: { readonly coin: string; readonly length: KrwCandleLength; readonly before?: number }
  ) => Read<number | null>
}

export interface KrwSourceOptions {
  readonly baseUrl?: string
  readonly patience?: Partial<Patience>
}
