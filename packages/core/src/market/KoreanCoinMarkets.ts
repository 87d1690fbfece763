import { Context } from "effect"
import type { KrwExchange, KrwListing, KrwPoint, KrwTicker } from "./korea.ts"
import type { MarketRead } from "./reading.ts"
import type { Interval, Series, Stepped } from "./series.ts"

/**
 * Coins against the Korean won, as stored; what `CoinPrices` says of all stored market data holds here. A coin without
 * a KRW market fails with `NoData`.
 */
export class KoreanCoinMarkets extends Context.Service<KoreanCoinMarkets, {
  /** Every open KRW market now, each as of its own `time`, largest 24-hour volume first. */
  readonly tickers: MarketRead<ReadonlyArray<KrwTicker>>

  /**
   * A coin's KRW market at every multiple of `stepMs` in the interval; the exchange where it trades most now (the first
   * of `tickers`) or did last, unless one is named.
   */
  readonly history: (
    query: { readonly coin: string; readonly exchange?: KrwExchange } & Stepped
  ) => MarketRead<Series<KrwPoint>>

  /** Markets that KRW exchanges opened in the interval, by `listedAt`, those that have closed since included. */
  readonly listings: (query: Interval) => MarketRead<ReadonlyArray<KrwListing>>

  /** Markets that KRW exchanges closed in the interval, by `delistedAt`. */
  readonly delistings: (query: Interval) => MarketRead<ReadonlyArray<KrwListing>>
}>()("@tapeline/core/market/KoreanCoinMarkets") {}
