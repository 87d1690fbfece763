import { Clock, Context, Effect, Layer } from "effect"
import type {
  CoinPerpetual,
  DatedFuture,
  FundingPrint,
  LiquidationTape,
  PerpetualNow,
  PerpetualPoint,
  TakerFlow,
  VenueFunding,
  VenueOpenInterest
} from "./derivative.ts"
import { NoData } from "./errors.ts"
import { type MarketRead, reading } from "./reading.ts"
import type { RecordedRead } from "./recorded.ts"
import type { Interval, Series, Stepped } from "./series.ts"

/**
 * Perpetuals, futures and liquidations of coins, as stored; what `CoinPrices` says of all stored market data holds
 * here. Stablecoins have no perpetual, and a coin without one fails with `NoData`.
 */
export class CoinDerivatives extends Context.Service<CoinDerivatives, {
  /** The perpetual now: the newest record, at most ten minutes old where nothing is amiss. */
  readonly perpetual: (coin: string) => MarketRead<PerpetualNow>

  /** The newest record of every coin's perpetual at once, by coin; for screens. Coins without one are missing. */
  readonly perpetuals: MarketRead<ReadonlyArray<CoinPerpetual>>

  /**
   * The perpetual at every multiple of `stepMs` (at least 5 minutes) in the interval. The record of an instant is the
   * one that was polled for it, within a minute of it; its `time` is the instant. One that was missed is missing: an
   * older value is not told again. While a poll that comes after its instant is on its way, the mark of `recorded`
   * stands there.
   */
  readonly perpetualHistory: (query: { readonly coin: string } & Stepped) => MarketRead<Series<PerpetualPoint>>

  /**
   * Settled funding payments of the main venue, as it stamped them; a payment that was missed is missing. If another
   * venue replaced it for a time, the payments of that time are of the other venue, and the sources name both.
   */
  readonly fundingPrints: (query: { readonly coin: string } & Interval) => MarketRead<ReadonlyArray<FundingPrint>>

  /**
   * How far the perpetual's history and its funding payments are recorded: of both, the less. A payment is
   * stamped in the minute in which it was due, and the mark stands at the full hour until it is there. One that is
   * stamped later is none of that hour.
   */
  readonly recorded: RecordedRead

  /** Funding now by venue, by name. */
  readonly fundingByVenue: (coin: string) => MarketRead<ReadonlyArray<VenueFunding>>

  /** Open interest now by venue, by name; they add up to `perpetual`'s where that is of the same venues. */
  readonly openInterestByVenue: (coin: string) => MarketRead<ReadonlyArray<VenueOpenInterest>>

  /** Taker volume by bucket (at least 5 minutes), whole buckets alone: the one that still runs is left out. */
  readonly takerFlow: (query: { readonly coin: string } & Stepped) => MarketRead<Series<TakerFlow>>

  /** Dated futures now, nearest expiry first; empty for coins that have only a perpetual. */
  readonly futures: (coin: string) => MarketRead<ReadonlyArray<DatedFuture>>

  /**
   * Liquidations of at least `minSizeUsd` (default 0), at most `limit` events (default 1,000), and sums of all of them
   * by steps of `stepMs` where it is given.
   */
  readonly liquidations: (
    query: {
      readonly coin: string
      readonly minSizeUsd?: number
      readonly limit?: number
      readonly stepMs?: number
    } & Interval
  ) => MarketRead<LiquidationTape>
}>()("@tapeline/core/market/CoinDerivatives") {
  /** A venue without derivatives: what is asked of one coin fails with `NoData`, what is asked of all is empty. */
  static readonly layerNone: Layer.Layer<CoinDerivatives> = Layer.sync(CoinDerivatives, () => {
    const none = ({ coin }: { readonly coin: string }) =>
      Effect.fail(
        new NoData({ subject: `${coin} derivatives`, reason: { key: "none_recorded", params: { symbol: coin } } })
      )
    const noneOf = (coin: string) => none({ coin })
    return {
      perpetual: noneOf,
      perpetuals: Effect.map(Clock.currentTimeMillis, (now) => reading([], "none", now)),
      perpetualHistory: none,
      fundingPrints: none,
      recorded: () => Effect.map(Clock.currentTimeMillis, (now) => reading(new Map(), "none", now)),
      fundingByVenue: noneOf,
      openInterestByVenue: noneOf,
      takerFlow: none,
      futures: noneOf,
      liquidations: none
    }
  })
}
