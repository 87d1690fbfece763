import { Context } from "effect"
import type { Effect } from "effect"
import type { OrderBook } from "./book.ts"
import type { Candle } from "./candle.ts"
import type { DatedFuture, DerivativesPoint, FundingPrint, LiquidationTape, VenueFunding } from "./derivative.ts"
import type { IndexQuote, StockQuote } from "./equity.ts"
import type { MarketError } from "./errors.ts"
import type { Coin, EquityCountry } from "./instrument.ts"
import type { FxPair, FxRate, KrwExchange, KrwListing, KrwPoint, KrwTicker } from "./korea.ts"
import type { Article } from "./news.ts"
import type { IvPoint } from "./option.ts"
import type { SocialActivity, SocialPost } from "./social.ts"
import type { Timeframe } from "./timeframe.ts"

/** The price of a coin at an instant, USD. */
export interface PricePoint {
  /** The instant that the price is of: the one asked for, or the newest stored one at or before it. */
  readonly time: number
  readonly price: number
}

/** A coin's market now; the 24 hours are those that end at `time`. */
export interface Ticker {
  readonly coin: string
  readonly time: number
  readonly price: number
  /** Null when the coin is younger than 24 hours. */
  readonly change24hPct: number | null
  readonly high24h: number
  readonly low24h: number
  readonly volume24hUsd: number
  readonly marketCapUsd: number
}

/** On-chain (DEX) trades of one coin counted in one bucket `[time, time + stepMs)`. */
export interface OnchainActivity {
  readonly time: number
  readonly buyUsd: number
  readonly sellUsd: number
  readonly trades: number
}

/** The half-open interval `[from, to)` in epoch milliseconds; what lies after the present is left out. */
export interface Interval {
  readonly from: number
  readonly to: number
}

/** Series by bucket: `stepMs` divides a day; the first bucket is the one that holds `from`. */
export interface Stepped extends Interval {
  readonly stepMs: number
}

/**
 * The service's own raw series: what collectors store, or what a simulated market computes.
 *
 * For every method:
 * - Series are oldest first, without duplicates, times strictly ascending (events: ascending).
 * - The present is Effect's Clock. Nothing newer than it is ever returned; `until` defaults to it and a
 *   later `until` means it.
 * - A coin is a ticker in upper case. A name that nobody lists fails with `UnknownSymbol`; a known coin
 *   without the datum (before its listing, no perpetual, no KRW market) fails with `NoData`. Series that
 *   begin before the listing are shorter, and fail with `NoData` only when nothing is left.
 * - `SourceUnavailable` is for the storage itself.
 * - Each answer is one consistent reading. Two calls may see different presents.
 * - Reads only: nothing here changes what a later call sees.
 */
export class MarketStore extends Context.Service<MarketStore, {
  /** Where the data came from, as results say: `simulated`, `live`. */
  readonly source: string

  /** Every coin, largest market capitalisation first, those listed in the future left out. */
  readonly coins: Effect.Effect<ReadonlyArray<Coin>, MarketError>

  /** One coin's facts. */
  readonly coin: (coin: string) => Effect.Effect<Coin, MarketError>

  /**
   * At most the last `bars` candles up to `until`; the last one is open (`closed: false`) when its interval still runs
   * at `until`, and then holds nothing after it.
   */
  readonly candles: (query: {
    readonly coin: string
    readonly timeframe: Timeframe
    readonly bars: number
    readonly until?: number
  }) => Effect.Effect<ReadonlyArray<Candle>, MarketError>

  /** The candles whose opening instant lies in the interval. */
  readonly candleRange: (query: { readonly coin: string; readonly timeframe: Timeframe } & Interval) => Effect.Effect<
    ReadonlyArray<Candle>,
    MarketError
  >

  /**
   * The price at an instant: within the 5-minute candle that holds it, and equal to its open at its first millisecond.
   */
  readonly priceAt: (query: { readonly coin: string; readonly time: number }) => Effect.Effect<PricePoint, MarketError>

  /** One coin's market now. */
  readonly ticker: (coin: string) => Effect.Effect<Ticker, MarketError>

  /** Every listed coin's market at one and the same instant, largest capitalisation first; stablecoins included. */
  readonly tickers: Effect.Effect<ReadonlyArray<Ticker>, MarketError>

  /** The perpetual now. Stablecoins have none (`NoData`). */
  readonly derivatives: (coin: string) => Effect.Effect<DerivativesPoint, MarketError>

  /** The perpetual at every multiple of `stepMs` (at least 5 minutes) in the interval. */
  readonly derivativesHistory: (query: { readonly coin: string } & Stepped) => Effect.Effect<
    ReadonlyArray<DerivativesPoint>,
    MarketError
  >

  /** The last `count` settled funding payments up to `until`. */
  readonly fundingPrints: (query: {
    readonly coin: string
    readonly count: number
    readonly until?: number
  }) => Effect.Effect<ReadonlyArray<FundingPrint>, MarketError>

  /** Funding now by venue, by name. */
  readonly fundingByVenue: (coin: string) => Effect.Effect<ReadonlyArray<VenueFunding>, MarketError>

  /** Dated futures now, nearest expiry first; empty for coins that have only a perpetual. */
  readonly futures: (coin: string) => Effect.Effect<ReadonlyArray<DatedFuture>, MarketError>

  /** Liquidations of at least `minSizeUsd` (default 0), at most `limit` events (default 1,000). */
  readonly liquidations: (
    query: { readonly coin: string; readonly minSizeUsd?: number; readonly limit?: number } & Interval
  ) => Effect.Effect<LiquidationTape, MarketError>

  /** The spot book now. */
  readonly orderBook: (coin: string) => Effect.Effect<OrderBook, MarketError>

  /** DEX trades by bucket, empty buckets included. */
  readonly onchainActivity: (query: { readonly coin: string } & Stepped) => Effect.Effect<
    ReadonlyArray<OnchainActivity>,
    MarketError
  >

  /** Posts about one coin, at most `limit` (default 1,000); the newest ones are kept. */
  readonly socialPosts: (query: { readonly coin: string; readonly limit?: number } & Interval) => Effect.Effect<
    ReadonlyArray<SocialPost>,
    MarketError
  >

  /** Posts about one coin counted by bucket, empty buckets included. Counts agree with `socialPosts`. */
  readonly socialActivity: (query: { readonly coin: string } & Stepped) => Effect.Effect<
    ReadonlyArray<SocialActivity>,
    MarketError
  >

  /**
   * Articles, optionally only those about one coin or one equity symbol, at most `limit` (default 1,000); the newest
   * ones are kept.
   */
  readonly news: (
    query: { readonly coin?: string; readonly symbol?: string; readonly limit?: number } & Interval
  ) => Effect.Effect<ReadonlyArray<Article>, MarketError>

  /** Every open KRW market now, at one and the same instant, largest 24-hour volume first. */
  readonly krwTickers: Effect.Effect<ReadonlyArray<KrwTicker>, MarketError>

  /**
   * A coin's KRW market at every multiple of `stepMs` in the interval; the exchange where it trades most, unless one is
   * named.
   */
  readonly krwHistory: (query: { readonly coin: string; readonly exchange?: KrwExchange } & Stepped) => Effect.Effect<
    ReadonlyArray<KrwPoint>,
    MarketError
  >

  /** Markets opened by KRW exchanges in the interval. */
  readonly krwListings: (query: Interval) => Effect.Effect<ReadonlyArray<KrwListing>, MarketError>

  /** An exchange rate at an instant (default now). */
  readonly fx: (query: { readonly pair: FxPair; readonly time?: number }) => Effect.Effect<FxRate, MarketError>

  /** An exchange rate at every multiple of `stepMs` in the interval. */
  readonly fxHistory: (query: { readonly pair: FxPair } & Stepped) => Effect.Effect<ReadonlyArray<FxRate>, MarketError>

  /**
   * At-the-money implied volatility once a day for the last `days` days, the newest at most an hour old. Only coins
   * with options.
   */
  readonly ivHistory: (query: { readonly coin: string; readonly days: number }) => Effect.Effect<
    ReadonlyArray<IvPoint>,
    MarketError
  >

  /** Every stock's last stored quote in one country, largest turnover first. */
  readonly stockQuotes: (country: EquityCountry) => Effect.Effect<ReadonlyArray<StockQuote>, MarketError>

  /** Every index's last stored quote in one country (`VIX` among the US ones). */
  readonly indexQuotes: (country: EquityCountry) => Effect.Effect<ReadonlyArray<IndexQuote>, MarketError>

  /** Daily candles of an index: at most the last `bars` up to `until`, `volume` 0 where the index has none. */
  readonly indexHistory: (query: {
    readonly index: string
    readonly bars: number
    readonly until?: number
  }) => Effect.Effect<ReadonlyArray<Candle>, MarketError>
}>()("@tapeline/core/market/MarketStore") {}
