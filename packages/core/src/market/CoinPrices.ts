import { Context } from "effect"
import type { Candle } from "./candle.ts"
import type { ClosedMinutes, PricePoint, Ticker, TotalMarket } from "./coin.ts"
import type { Coin } from "./instrument.ts"
import type { MarketRead } from "./reading.ts"
import type { RecordedRead } from "./recorded.ts"
import type { Interval } from "./series.ts"
import { hourMs, type Timeframe } from "./timeframe.ts"

/** A price that was newest for longer than this is no price of an instant: `priceAt` fails with `NoData`. */
export const priceLagMs = hourMs

/**
 * Coins, their prices and candles: the service's own raw series, which collectors store or a simulated market computes.
 *
 * For this and every other port of stored market data:
 * - Series are oldest first, without duplicates, times strictly ascending (events: ascending).
 * - The present is Effect's Clock. Nothing newer than it is ever returned; `until` defaults to it and a
 *   later `until` means it.
 * - A coin is a ticker in upper case. A name that nobody ever listed fails with `UnknownSymbol`; a known coin
 *   without the datum (before its listing, after its delisting, in a gap, no perpetual, no KRW market) fails with
 *   `NoData`. Series that begin before the listing are shorter, and fail with `NoData` only when nothing is left.
 * - What was not recorded is missing or null, never 0, never the last value again.
 * - `SourceUnavailable` is for the storage itself.
 * - Each answer is one consistent reading with its sources and its time. Two calls may see different presents.
 * - Reads only: nothing here changes what a later call sees. What is recorded late (a backfill) may fill what was
 *   missing, and a correction may change it; `recorded` says when.
 */
export class CoinPrices extends Context.Service<CoinPrices, {
  /**
   * Every coin that was ever listed, so that what looks back does not forget the dead: those that trade first, largest
   * market capitalisation first, then the delisted ones. Those listed in the future are left out.
   */
  readonly coins: MarketRead<ReadonlyArray<Coin>>

  /** One coin's facts, of a delisted one too, as of the present: `delistedAt` is null until it lies behind. */
  readonly coin: (coin: string) => MarketRead<Coin>

  /**
   * At most the last `bars` intervals up to `until`; the last one is open (`closed: false`) when its interval still
   * runs at `until`, and then holds nothing after it. An interval that was not recorded whole has no candle, so that
   * fewer may come; one without a trade has a candle of volume 0.
   *
   * A source that lags makes no candle of what it has not recorded: for these seconds on the hour the new interval has
   * none yet, and neither has the one that ended, while its last part is on its way. Such an interval counts among the
   * `bars` like any other that is missing.
   *
   * Coarse candles are the 5-minute ones folded, as `foldCandles` says.
   */
  readonly candles: (query: {
    readonly coin: string
    readonly timeframe: Timeframe
    readonly bars: number
    readonly until?: number
  }) => MarketRead<ReadonlyArray<Candle>>

  /** The candles whose opening instant lies in the interval. */
  readonly candleRange: (
    query: { readonly coin: string; readonly timeframe: Timeframe } & Interval
  ) => MarketRead<ReadonlyArray<Candle>>

  /** How far the candles of coins are recorded, of every timeframe alike. */
  readonly recorded: RecordedRead

  /**
   * The newest price at or before an instant, at most `priceLagMs` older, else `NoData` (as before the listing, from
   * the delisting on, and after the present).
   *
   * It need not be any candle's: prices are sampled, candles are made of trades, and the first trade of an interval
   * comes after its first instant. What is entered "at the open" is entered at the candle's open.
   *
   * The price of an instant up to the mark of `recorded` is the same whenever it is asked, under one revision: it knows
   * nothing of what came after that instant, so that the close of the candle that holds it is not its price.
   */
  readonly priceAt: (query: { readonly coin: string; readonly time: number }) => MarketRead<PricePoint>

  /**
   * What closed minutes ended with, of many coins in one read, for who looks at all of them every minute: by coin, of
   * each full minute that ends in `(after, until]` the price that `priceAt` has at its end, where that is of the minute
   * itself, else nothing; `time` is the minute's end. A coin without any record (see `recorded`) is missing. Unlike
   * candles, prices come as they happen: what is recorded of them is told here.
   */
  readonly minutes: (query: {
    readonly coins: ReadonlyArray<string>
    readonly after: number
    readonly until: number
  }) => MarketRead<ReadonlyMap<string, ClosedMinutes>>

  /** The `candles` of many coins in one read, by coin; those that have none, unknown ones too, are missing. */
  readonly candlesByCoin: (query: {
    readonly coins: ReadonlyArray<string>
    readonly timeframe: Timeframe
    readonly bars: number
    readonly until?: number
  }) => MarketRead<ReadonlyMap<string, ReadonlyArray<Candle>>>

  /** One coin's market now; of one without a price that `priceAt` would still tell, `NoData`. */
  readonly ticker: (coin: string) => MarketRead<Ticker>

  /**
   * Every trading coin's market, largest capitalisation first, unknown ones last; stablecoins included. Each as of its
   * own `time`, which is one and the same instant where the source can give that. Coins that `ticker` has `NoData` of
   * (they opened just now, their source is silent) are missing.
   */
  readonly tickers: MarketRead<ReadonlyArray<Ticker>>

  /**
   * The whole market now, coins that are not tracked here included. It has no null: who has no source of it fails with
   * `SourceUnavailable`, `not_configured`, not retryable, with a reason that says what to set; a suite is told of it by
   * `mayLack`.
   */
  readonly totalMarket: MarketRead<TotalMarket>
}>()("@tapeline/core/market/CoinPrices") {}
