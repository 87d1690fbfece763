import { Context } from "effect"
import type { Candle } from "./candle.ts"
import type { ClosedMinutes, PricePoint, Ticker, TotalMarket } from "./coin.ts"
import type { Coin } from "./instrument.ts"
import type { MarketRead } from "./reading.ts"
import type { Interval } from "./series.ts"
import { hourMs, type Timeframe } from "./timeframe.ts"
import type { WatermarkRead } from "./watermark.ts"

/** The maximum age of a price, beyond which `priceAt` fails with `NoData`. */
export const maxPriceAgeMs = hourMs

/**
 * Reads coins, their prices and candles from the service's own raw series, which collectors store or a simulated market
 * computes.
 *
 * These rules apply to every port of stored market data:
 * - Series are oldest first, without duplicates. Times ascend strictly, except the times of events, which may be equal.
 * - The present is the time of Effect's Clock. Newer data is never returned. `until` defaults to the present, and a
 *   later `until` means the present.
 * - A coin is a ticker in upper case. A name that was never listed fails with `UnknownSymbol`. A known coin without the
 *   requested data fails with `NoData`, for example before its listing, in a gap, or without a perpetual. A series that
 *   begins before the listing is shorter, and fails with `NoData` only if it would be empty.
 * - Data that was not recorded is missing or null, never 0 and never the previous value.
 * - `SourceUnavailable` is the failure of the storage itself.
 * - Each result is one consistent reading with its sources and its time.
 * - All methods only read. A late record (backfill) may fill missing data, and a correction may change data; the
 *   revision of `watermarks` then changes.
 */
export class CoinPrices extends Context.Service<CoinPrices, {
  /**
   * Returns every coin that was ever listed, trading coins before delisted coins, largest market capitalisation first.
   * Coins with a future listing are omitted.
   */
  readonly coins: MarketRead<ReadonlyArray<Coin>>

  /** Returns the facts of a coin, including delisted coins, with a null `delistedAt` until the delisting. */
  readonly coin: (coin: string) => MarketRead<Coin>

  /**
   * Returns at most the last `bars` intervals up to `until`. If the last interval is still running at `until`, its
   * candle is open (`closed: false`) and contains no later data. An interval that was not completely recorded has no
   * candle, but counts toward `bars`. An interval without trades has a candle of volume 0.
   *
   * A source that lags makes no candle from data that it has not recorded. For some seconds after the end of an
   * interval, the ended interval and the next interval have no candle.
   *
   * `foldCandles` computes coarse candles from 5-minute candles.
   */
  readonly candles: (query: {
    readonly coin: string
    readonly timeframe: Timeframe
    readonly bars: number
    readonly until?: number
  }) => MarketRead<ReadonlyArray<Candle>>

  /** Returns the candles whose opening time is in the interval. */
  readonly candleRange: (
    query: { readonly coin: string; readonly timeframe: Timeframe } & Interval
  ) => MarketRead<ReadonlyArray<Candle>>

  /** Returns the watermarks of the coins' candles, one watermark per coin for all timeframes. */
  readonly watermarks: WatermarkRead

  /**
   * Returns the newest price at or before a time, at most `maxPriceAgeMs` older. Fails with `NoData` if no such price
   * exists, for example before the listing, from the delisting on, and after the present.
   *
   * The price may differ from all candle prices, because prices are sampled and candles are made of trades. For an
   * entry "at the open", use the candle's open.
   *
   * Up to the watermark of `watermarks`, the price of a time never changes within a revision. The price uses no data
   * after its time, so the price is not the close of the candle that contains the time.
   */
  readonly priceAt: (query: { readonly coin: string; readonly time: number }) => MarketRead<PricePoint>

  /**
   * Returns the prices at the ends of closed minutes in `(after, until]`, for many coins in one read. The price of a
   * minute is the price that `priceAt` returns at `time`, the end of the minute. A minute is missing if the price is
   * older than the minute. Coins without a record in `watermarks` are missing. Prices are recorded as they happen,
   * unlike candles, so `knownUntil` reports how far prices are recorded.
   */
  readonly minutes: (query: {
    readonly coins: ReadonlyArray<string>
    readonly after: number
    readonly until: number
  }) => MarketRead<ReadonlyMap<string, ClosedMinutes>>

  /** Returns the `candles` of many coins in one read, by coin, without unknown coins and coins without candles. */
  readonly candlesByCoin: (query: {
    readonly coins: ReadonlyArray<string>
    readonly timeframe: Timeframe
    readonly bars: number
    readonly until?: number
  }) => MarketRead<ReadonlyMap<string, ReadonlyArray<Candle>>>

  /** Returns the current market of a coin, or fails with `NoData` if `priceAt` has no current price. */
  readonly ticker: (coin: string) => MarketRead<Ticker>

  /**
   * Returns the markets of all trading coins, including stablecoins, largest market capitalisation first. Each ticker
   * is as of its own `time`; if the source allows, all times are equal. Coins for which `ticker` fails with `NoData`
   * are missing.
   */
  readonly tickers: MarketRead<ReadonlyArray<Ticker>>

  /**
   * Returns the totals of the whole market, including coins that are not tracked. Without a source, fails with a
   * `SourceUnavailable` that is `not_configured` and not retryable, and whose reason names the setting.
   */
  readonly totalMarket: MarketRead<TotalMarket>
}>()("@tapeline/core/market/CoinPrices") {}
