import { Context } from "effect"
import type { KrwExchange, KrwListing, KrwPoint, KrwTicker } from "./korea.ts"
import type { MarketRead } from "./reading.ts"
import type { Interval, Series, SteppedInterval } from "./series.ts"

/**
 * Stored KRW markets of coins. Reads of a coin without a KRW market fail with `NoData`. `CoinPrices` documents the
 * rules of stored market data.
 */
export class KoreanCoinMarkets extends Context.Service<KoreanCoinMarkets, {
  /** Returns every open KRW market, largest 24-hour volume first. Each market has its own `time`. */
  readonly tickers: MarketRead<ReadonlyArray<KrwTicker>>

  /**
   * Returns a coin's KRW market at every multiple of `stepMs` in the interval. If `exchange` is omitted, uses the
   * exchange with the coin's largest current volume. If no exchange trades the coin now, uses the exchange that traded
   * the coin last, for every interval. If several exchanges stopped within the same hour, uses the exchange among them
   * with the largest last volume.
   */
  readonly history: (
    query: { readonly coin: string; readonly exchange?: KrwExchange } & SteppedInterval
  ) => MarketRead<Series<KrwPoint>>

  /**
   * Returns the markets that KRW exchanges opened in the interval, sorted by `listedAt`. The result includes markets
   * that the exchange closed later.
   */
  readonly listings: (query: Interval) => MarketRead<ReadonlyArray<KrwListing>>

  /** Returns the markets that KRW exchanges closed in the interval, sorted by `delistedAt`. */
  readonly delistings: (query: Interval) => MarketRead<ReadonlyArray<KrwListing>>
}>()("@tapeline/core/market/KoreanCoinMarkets") {}
