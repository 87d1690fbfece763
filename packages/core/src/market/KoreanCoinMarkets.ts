import { Context } from "effect"
import type { KrwExchange, KrwListing, KrwPoint, KrwTicker } from "./korea.ts"
import type { MarketRead } from "./reading.ts"
import type { Interval, Series, SteppedInterval } from "./series.ts"

/**
 * Stored KRW markets of coins. The rules of `CoinPrices` for stored market data apply. A coin without a KRW market
 * fails with `NoData`.
 */
export class KoreanCoinMarkets extends Context.Service<KoreanCoinMarkets, {
  /** Returns every open KRW market, each as of its own `time`, largest 24-hour volume first. */
  readonly tickers: MarketRead<ReadonlyArray<KrwTicker>>

  /**
   * Returns a coin's KRW market at every multiple of `stepMs` in the interval. Without `exchange`, uses the exchange
   * with the coin's largest current volume (the first of `tickers`), or its last such exchange.
   */
  readonly history: (
    query: { readonly coin: string; readonly exchange?: KrwExchange } & SteppedInterval
  ) => MarketRead<Series<KrwPoint>>

  /**
   * Returns the markets that KRW exchanges opened in the interval, by `listedAt`, including markets that closed since.
   */
  readonly listings: (query: Interval) => MarketRead<ReadonlyArray<KrwListing>>

  /** Returns the markets that KRW exchanges closed in the interval, by `delistedAt`. */
  readonly delistings: (query: Interval) => MarketRead<ReadonlyArray<KrwListing>>
}>()("@tapeline/core/market/KoreanCoinMarkets") {}
