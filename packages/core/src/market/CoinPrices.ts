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
 * Reads coins, prices and candles from the service's own stored series. Live data is recorded by collectors, and a
 * simulated market computes its data.
 *
 * These rules apply to every port of stored market data:
 * - Series are oldest first, without duplicates. Times ascend strictly, but the times of events may be equal.
 * - The present is the time of Effect's Clock. Data newer than the present is never returned. `until` defaults to the
 *   present. A later `until` is treated as the present.
 * - A coin is a ticker in upper case. A name that was never listed fails with `UnknownSymbol`. A read of a known coin
 *   fails with `NoData` if the data does not exist, for example before its listing or in a gap. A series that is
 *   requested from before the listing starts at the listing. The read fails with `NoData` only if the series would be
 *   empty.
 * - Data that was not recorded is missing or null, never 0 and never the previous value.
 * - `SourceUnavailable` is the failure of the storage itself.
 * - Each result is one consistent reading with its sources and its time.
 * - All methods only read. If data before the watermark is added or corrected, the revision in `watermarks` changes.
 */
export class CoinPrices extends Context.Service<CoinPrices, {
  /**
   * Returns every coin that was ever listed. Trading coins come before delisted coins, each group sorted by market
   * capitalisation, largest first. Coins with a future listing are omitted.
   */
  readonly coins: MarketRead<ReadonlyArray<Coin>>

  /** Returns the facts of a trading or delisted coin. */
  readonly coin: (coin: string) => MarketRead<Coin>

  /**
   * Returns at most the last `bars` intervals up to `until`. If the last interval is still running at `until`, its
   * candle is open (`closed: false`) and contains no later data. An incompletely recorded interval has no candle, but
   * counts toward `bars`. An interval without trades has a candle of volume 0.
   *
   * If the source lags, an interval that is not recorded yet has no candle. For some seconds after an interval ends,
   * neither the ended interval nor the next interval has a candle.
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

  /** Returns the watermark of each coin's candles. One watermark applies to all timeframes of a coin. */
  readonly watermarks: WatermarkRead

  /**
   * Returns the newest price at or before a time, at most `maxPriceAgeMs` older. Fails with `NoData` if there is no
   * price within `maxPriceAgeMs` before `time`. Prices exist only from the listing until the delisting, and never in
   * the future.
   *
   * The price may differ from every candle price, because prices are samples, and candles are computed from trades. To
   * trade at the open of a candle, use the candle's `open` instead.
   *
   * While the revision of `watermarks` stays the same, prices before the watermark never change. The price at a time
   * uses only data up to this time. By contrast, the close of the candle that contains `time` may be newer than `time`.
   */
  readonly priceAt: (query: { readonly coin: string; readonly time: number }) => MarketRead<PricePoint>

  /**
   * Returns the price at the end of each closed minute in `(after, until]`, for many coins in one read. Each price
   * equals the price that `priceAt` returns for the end of the minute. A minute without a recorded price is missing. A
   * coin without a watermark is missing in the result. Prices are recorded earlier than candles, so `knownUntil` states
   * how far prices are recorded.
   */
  readonly minutes: (query: {
    readonly coins: ReadonlyArray<string>
    readonly after: number
    readonly until: number
  }) => MarketRead<ReadonlyMap<string, ClosedMinutes>>

  /** Returns the `candles` of many coins in one read, by coin. Unknown coins and coins without candles are omitted. */
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
   * has its own `time`; all times are equal if the source allows. Coins for which `ticker` fails with `NoData` are
   * missing.
   */
  readonly tickers: MarketRead<ReadonlyArray<Ticker>>

  /**
   * Returns the totals of the whole market, including coins that are not tracked. If no source is configured, fails
   * with a permanent `SourceUnavailable` whose reason names the required setting.
   */
  readonly totalMarket: MarketRead<TotalMarket>
}>()("@tapeline/core/market/CoinPrices") {}
