import { Context, Layer } from "effect"
import type { Effect } from "effect"
import type { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import type { Reading } from "../../market/reading.ts"
import type { SocialFeed } from "../../market/SocialFeed.ts"
import type { Coil } from "./coil.ts"
import { derive } from "./derive.ts"
import type { DerivedError } from "./derivedError.ts"
import type { Divergences } from "./divergence.ts"
import type { FearGreedDay } from "./fearGreed.ts"
import type { HorizonHits } from "./hitRate.ts"
import type { RegimeHour } from "./regime.ts"
import type { ScoredHour, ScorePoint } from "./score.ts"
import type { JudgedSignal } from "./signal.ts"

/** The score of one coin at the last closed hour. */
export interface CoinScore {
  readonly coin: string
  readonly score: number
  readonly hour: ScoredHour
}

/** The signals that an interval opened, and how far the market is known. */
export interface SignalBook {
  /** By `openedAt`, then by coin; oldest first. */
  readonly signals: ReadonlyArray<JudgedSignal>
  /** The last recorded hour of what was read, up to which outcomes are judged, epoch ms. */
  readonly until: number
  /** Coins that trade, of which none of the last hours is recorded: what they opened since is not known. */
  readonly silent: ReadonlyArray<string>
}

/** Hit rates of the signals of a span. */
export interface HitRates {
  /** One for each of `hitHorizons`. */
  readonly horizons: ReadonlyArray<HorizonHits>
  /** Signals that opened in the span. */
  readonly signals: number
  /** The span, epoch ms: it ends with the last recorded hour of what was read. */
  readonly from: number
  readonly until: number
  /** Coins that trade, of which none of the last hours is recorded. */
  readonly silent: ReadonlyArray<string>
}

/** A question about what is derived. */
export type DerivedRead<A> = Effect.Effect<Reading<A>, DerivedError>

/**
 * What the service derives from its raw series: scores, divergences, regimes, coils, fear and greed, signals with their
 * outcomes, hit rates.
 *
 * For every method:
 * - The grid is the full hour (fear and greed: the UTC day). A value at an hour stands on data up to it; the newest
 *   value is that of the last closed hour by Effect's Clock, or of the one or two before it while the raw series lag.
 *   Where they lag by more there is no present (`NoData`); what looks back is told up to its last recorded hour.
 * - The same hour has the same value whoever asks, when, in which order, and whatever was asked before. It changes only
 *   where what it stands on is filled in or corrected, and then for everyone who asks afterwards; what comes beyond the
 *   mark within five seconds. What is filled in faster than it is read fails with `SourceUnavailable`, to be repeated.
 * - Coins are tickers in upper case. A name that nobody lists fails with `UnknownSymbol`, a stablecoin or a coin too
 *   young with `NoData`; methods over all coins leave both out. A delisted coin has no present (`NoData`), and a past:
 *   signals and hit rates of a span count the coins that died in it.
 * - Each reading names the sources of the raw series that it stands on, as `recorded` does; its
 *   `asOf` is the hour that it is known up to.
 * - Series are oldest first. Reads only.
 */
export class DerivedStore extends Context.Service<DerivedStore, {
  /** A coin's score at the last closed hour. */
  readonly score: (coin: string) => DerivedRead<CoinScore>

  /** The score of every coin that has one, largest market capitalisation first. */
  readonly scores: DerivedRead<ReadonlyArray<CoinScore>>

  /**
   * A coin's scores at the last `hours` closed hours; hours without a candle, or before the first score, are missing.
   */
  readonly scoreHistory: (
    query: { readonly coin: string; readonly hours: number }
  ) => DerivedRead<ReadonlyArray<ScorePoint>>

  /** Divergences of price and RSI on 1h candles, confirmed within the last `divergenceHours`; often none. */
  readonly divergences: (coin: string) => DerivedRead<Divergences>

  /** A coin's coil at the last closed hour. */
  readonly coil: (coin: string) => DerivedRead<Coil>

  /** The market's regime at the last closed hour; `NoData` while BTC's history is too short. */
  readonly regime: DerivedRead<RegimeHour>

  /** The fear and greed index of the last `days` days (1 to 90), the newest as of the last 00:00 UTC. */
  readonly fearGreed: (days: number) => DerivedRead<ReadonlyArray<FearGreedDay>>

  /**
   * Signals opened within the last `hours` closed hours, of one coin or of all, with their outcomes by the last closed
   * hour.
   */
  readonly signals: (
    query: { readonly coin?: string; readonly hours: number }
  ) => DerivedRead<SignalBook>

  /** Hit rates of the signals of the last `hitRateDays` days, of one coin or of all. */
  readonly hitRates: (query: { readonly coin?: string }) => DerivedRead<HitRates>
}>()("@tapeline/core/signals/DerivedStore") {
  /**
   * Computes everything from the raw series when it is asked for. What lies below the mark up to which they are
   * recorded is remembered by UTC day and revision, within the bytes of `DerivedMemory`, and shared through
   * `DerivedDays` where there is one. A value is a function of rule version, series, revision and hour: no result
   * depends on what is remembered.
   */
  static readonly layer: Layer.Layer<
    DerivedStore,
    never,
    CoinPrices | CoinDerivatives | SocialFeed
  > = Layer.effect(DerivedStore, derive)
}
