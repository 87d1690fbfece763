import { Context } from "effect"
import type { Candle } from "./candle.ts"
import type { ClosedMinutes, PricePoint, Ticker, TotalMarket } from "./coin.ts"
import type { Coin } from "./instrument.ts"
import type { MarketRead } from "./reading.ts"
import type { Interval } from "./series.ts"
import { hourMs, type Timeframe } from "./timeframe.ts"
import type { WatermarkRead } from "./watermark.ts"

/** The maximum age of a price. For an older price, `priceAt` fails with `NoData`. */
export const maxPriceAgeMs = hourMs

/**
 * Reads coins, their prices and candles. The data is the service's own raw series, which collectors store or a
 * simulated market computes.
 *
 * These rules apply to every port of stored market data:
 * - Series are oldest first, without duplicates. Times ascend strictly, except those of events, which may be equal.
 * - The present is the time of Effect's Clock. Newer data is never returned. `until` defaults to the present, and a
 *   later `until` means the present.
 * - A coin is a ticker in upper case. A name that was never listed fails with `UnknownSymbol`. A known coin without the
 *   requested data fails with `NoData`: before its listing, after its delisting, in a gap, without a perpetual or a KRW
 *   market. A series that begins before the listing is shorter, and fails with `NoData` only if it would be empty.
 * - Data that was not recorded is missing or null, never 0 and never the previous value.
 * - `SourceUnavailable` is the failure of the storage itself.
 * - Each result is one consistent reading with its sources and its time. Two calls may see different presents.
 * - All methods only read. A late record (backfill) may fill missing data, and a correction may change data; the
 *   revision of `watermarks` then changes.
 */
export class CoinPrices extends Context.Service<CoinPrices, {
  /**
   * Returns every coin that was ever listed, so that analyses of the past include delisted coins. Trading coins are
   * first, largest market capitalisation first, then delisted coins. Coins with a future listing are omitted.
   */
  readonly coins: MarketRead<ReadonlyArray<Coin>>

  /**
   * Returns the facts of a coin, also of a delisted coin, as of the present. `delistedAt` is null until the delisting.
   */
  readonly coin: (coin: string) => MarketRead<Coin>

  /**
   * Returns at most the last `bars` intervals up to `until`. If the last interval is still running at `until`, its
   * candle is open (`closed: false`) and contains no later data. An interval that was not completely recorded has no
   * candle, so fewer candles may be returned. An interval without trades has a candle of volume 0.
   *
   * A source that lags makes no candle from data that it has not recorded. For some seconds after an interval ends, the
   * interval and the next one have no candle, because the last part is not recorded yet. Both count toward `bars`, like
   * all missing intervals.
   *
   * Coarse candles are folded from 5-minute candles by `foldCandles`.
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

  /** Returns the watermarks of the coins' candles, which are the same for all timeframes. */
  readonly watermarks: WatermarkRead

  /**
   * Returns the newest price at or before a time, at most `maxPriceAgeMs` older. Otherwise fails with `NoData`, as
   * before the listing, from the delisting on, and after the present.
   *
   * The price may differ from all candle prices: prices are sampled, candles are made of trades, and the first trade of
   * an interval follows its start. For an entry "at the open", use the candle's open.
   *
   * Up to the watermark of `watermarks`, the price of a time never changes within a revision. It uses no data after
   * that time, so it is not the close of the candle that contains the time.
   */
  readonly priceAt: (query: { readonly coin: string; readonly time: number }) => MarketRead<PricePoint>

  /**
   * Returns the prices at the ends of closed minutes for many coins in one read. For each full minute that ends in
   * `(after, until]`, it contains the price that `priceAt` returns at the minute's end. A minute is missing if that
   * price is from before the minute; `time` is the minute's end. Coins without a record (see `watermarks`) are missing.
   * Prices are recorded as they happen, unlike candles, so `knownUntil` reports how far they are recorded.
   */
  readonly minutes: (query: {
    readonly coins: ReadonlyArray<string>
    readonly after: number
    readonly until: number
  }) => MarketRead<ReadonlyMap<string, ClosedMinutes>>

  /** Returns the `candles` of many coins in one read, by coin. Coins without candles and unknown coins are missing. */
  readonly candlesByCoin: (query: {
    readonly coins: ReadonlyArray<string>
    readonly timeframe: Timeframe
    readonly bars: number
    readonly until?: number
  }) => MarketRead<ReadonlyMap<string, ReadonlyArray<Candle>>>

  /** Returns the current market of a coin. Fails with `NoData` if `priceAt` has no current price. */
  readonly ticker: (coin: string) => MarketRead<Ticker>

  /**
   * Returns the markets of all trading coins, stablecoins included, largest capitalisation first, unknown
   * capitalisations last. Each ticker is as of its own `time`, which is the same for all if the source allows. Coins
   * for which `ticker` fails with `NoData` (just listed, silent source) are missing.
   */
  readonly tickers: MarketRead<ReadonlyArray<Ticker>>

  /**
   * Returns the market as a whole, including coins that are not tracked. Never null. Without a source, fails with a
   * `SourceUnavailable` that is `not_configured` and not retryable, whose reason names the setting. Contract suites
   * accept this for methods in `mayLack`.
   */
  readonly totalMarket: MarketRead<TotalMarket>
}>()("@tapeline/core/market/CoinPrices") {}
