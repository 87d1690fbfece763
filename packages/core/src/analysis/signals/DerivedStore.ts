import { Context, Layer } from "effect"
import type { Effect } from "effect"
import type { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import type { Reading } from "../../market/reading.ts"
import type { SocialFeed } from "../../market/SocialFeed.ts"
import type { Coil } from "./coil.ts"
import type { DerivedError } from "./derivedError.ts"
import type { Divergences } from "./divergence.ts"
import type { FearGreedDay } from "./fearGreed.ts"
import type { HorizonHits } from "./hitRate.ts"
import { makeDerivedStore } from "./makeDerivedStore.ts"
import type { RegimeHour } from "./regime.ts"
import type { ScoredHour, ScorePoint } from "./score.ts"
import type { SignalWithOutcome } from "./signal.ts"

/** The score of one coin at the last closed hour. */
export interface CoinScore {
  readonly coin: string
  readonly score: number
  readonly hour: ScoredHour
}

/** The signals that opened in an interval, and the time up to which their outcomes are known. */
export interface SignalHistory {
  /** The signals, ordered by `openedAt`, oldest first, then by coin. */
  readonly signals: ReadonlyArray<SignalWithOutcome>
  /** The time up to which the outcomes of signals are determined, in epoch ms. */
  readonly until: number
  /**
   * The trading coins without recorded data in the last hours. The result lacks recent signals of coins without
   * recorded data.
   */
  readonly coinsWithoutData: ReadonlyArray<string>
}

/** The hit rates of the signals of a period. */
export interface HitRates {
  readonly horizons: ReadonlyArray<HorizonHits>
  readonly signals: number
  /** The start of the period, in epoch ms. */
  readonly from: number
  readonly until: number
  /** The trading coins without recorded data in the last hours. */
  readonly coinsWithoutData: ReadonlyArray<string>
}

/** A read of derived data. The read can fail with a market error or a computation error. */
export type DerivedRead<A> = Effect.Effect<Reading<A>, DerivedError>

/**
 * Derives data from the raw series: scores, divergences, regimes, coils, fear and greed, signals with outcomes, and hit
 * rates.
 *
 * - Values exist for full hours; the fear and greed index exists for UTC days. A value at an hour depends only on data
 *   up to that hour.
 * - The newest value is the value at the last full hour of Effect's Clock. While the raw series lag, the newest value
 *   is one or two hours older. If the raw series lag by `maxLagMs` or more, reads of current values fail with `NoData`.
 *   In this case, histories end with the last recorded hour.
 * - The value of an hour is equal for all callers. A value changes only after its raw data were backfilled or
 *   corrected. After a change, all reads return the new value. Changes of raw data after the watermark reach readers
 *   within five seconds.
 * - If data are backfilled faster than they are read, the read fails with `SourceUnavailable` and can be repeated.
 * - Coins are tickers in upper case. An unlisted ticker fails with `UnknownSymbol`. A stablecoin, or a coin with too
 *   little history, fails with `NoData`. Methods that return all coins omit coins without values.
 * - The history of a delisted coin can be read. A read of its current value fails with `NoData`. Signals and hit rates
 *   include the coins that were delisted within the period.
 * - Each reading names the sources of its raw series. `asOf` is the hour up to which the data of the reading are known.
 * - Series are oldest first. All methods of `DerivedStore` only read.
 */
export class DerivedStore extends Context.Service<DerivedStore, {
  readonly score: (coin: string) => DerivedRead<CoinScore>

  /** Returns the score of every coin that has a score, largest market capitalisation first. */
  readonly scores: DerivedRead<ReadonlyArray<CoinScore>>

  /** Returns a coin's scores at the last `hours` closed hours. Hours without a candle or a score are omitted. */
  readonly scoreHistory: (
    query: { readonly coin: string; readonly hours: number }
  ) => DerivedRead<ReadonlyArray<ScorePoint>>

  /** Returns divergences of price and RSI on 1h candles that were confirmed within the last `divergenceHours`. */
  readonly divergences: (coin: string) => DerivedRead<Divergences>

  readonly coil: (coin: string) => DerivedRead<Coil>

  /** Returns the market's regime at the last closed hour, or fails with `NoData` if BTC's history is too short. */
  readonly regime: DerivedRead<RegimeHour>

  /**
   * Returns the fear and greed index of the last `days` days, from 1 to 90. The newest value is the index at the last
   * 00:00 UTC.
   */
  readonly fearGreed: (days: number) => DerivedRead<ReadonlyArray<FearGreedDay>>

  /** Returns signals that opened within the last `hours` hours, of one coin or all coins, with their outcomes. */
  readonly signals: (
    query: { readonly coin?: string; readonly hours: number }
  ) => DerivedRead<SignalHistory>

  /** Returns the hit rates of the signals of the last `hitRateDays` days, for one coin or all coins. */
  readonly hitRates: (query: { readonly coin?: string }) => DerivedRead<HitRates>
}>()("@tapeline/core/signals/DerivedStore") {
  /**
   * Computes all values from the raw series on request. Values up to the watermark are cached by UTC day and revision.
   * The cache uses at most `DerivedMemory` bytes. Processes share cached days through `DerivedDays` if a store is
   * provided. No result depends on the cache.
   */
  static readonly layer: Layer.Layer<
    DerivedStore,
    never,
    CoinPrices | CoinDerivatives | SocialFeed
  > = Layer.effect(DerivedStore, makeDerivedStore)
}
