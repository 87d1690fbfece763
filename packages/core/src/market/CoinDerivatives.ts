import { Clock, Context, Effect, Layer } from "effect"
import type {
  CoinPerpetual,
  CurrentPerpetual,
  DatedFuture,
  FundingPayment,
  LiquidationTape,
  PerpetualPoint,
  TakerFlow,
  VenueFunding,
  VenueOpenInterest
} from "./derivative.ts"
import { NoData } from "./errors.ts"
import { makeReading, type MarketRead } from "./reading.ts"
import type { Interval, Series, SteppedInterval } from "./series.ts"
import type { WatermarkRead } from "./watermark.ts"

/**
 * Stored data of perpetuals, futures and liquidations of coins. The rules of `CoinPrices` for stored market data apply.
 * Stablecoins have no perpetual, and a coin without a perpetual fails with `NoData`.
 */
export class CoinDerivatives extends Context.Service<CoinDerivatives, {
  /** Returns the newest record of the perpetual, at most ten minutes old in normal operation. */
  readonly perpetual: (coin: string) => MarketRead<CurrentPerpetual>

  /** Returns the newest record of each coin's perpetual, for screens. Coins without a perpetual are missing. */
  readonly perpetuals: MarketRead<ReadonlyArray<CoinPerpetual>>

  /**
   * Returns the perpetual at every multiple of `stepMs` (at least 5 minutes) in the interval. The record of a time is
   * the one that was polled for it, within a minute; its `time` is that multiple. A missed record is missing and not
   * replaced by an older value. While a poll for a past time is running, the watermark of `watermarks` stays at that
   * time.
   */
  readonly perpetualHistory: (query: { readonly coin: string } & SteppedInterval) => MarketRead<Series<PerpetualPoint>>

  /**
   * Returns settled funding payments of the main venue, with the venue's timestamps. A payment that was missed is
   * missing. If another venue replaced the main venue for a time, that venue's payments are returned, and the sources
   * name both.
   */
  readonly fundingPayments: (query: { readonly coin: string } & Interval) => MarketRead<ReadonlyArray<FundingPayment>>

  /**
   * Returns the watermarks of the perpetual's history and its funding payments: for each coin, the earlier of both. A
   * payment is due at the full hour and is stamped within that minute. The watermark stays at the full hour until the
   * payment is recorded. A payment with a later stamp does not count for that hour.
   */
  readonly watermarks: WatermarkRead

  /** Returns the current funding of each venue, by name. */
  readonly fundingByVenue: (coin: string) => MarketRead<ReadonlyArray<VenueFunding>>

  /**
   * Returns the current open interest of each venue, by name. The values add up to that of `perpetual` if both cover
   * the same venues.
   */
  readonly openInterestByVenue: (coin: string) => MarketRead<ReadonlyArray<VenueOpenInterest>>

  /**
   * Returns taker volume by bucket (at least 5 minutes). Only complete buckets are returned, so the running bucket is
   * missing.
   */
  readonly takerFlow: (query: { readonly coin: string } & SteppedInterval) => MarketRead<Series<TakerFlow>>

  /** Returns the current dated futures, nearest expiry first. Empty for coins that have only a perpetual. */
  readonly futures: (coin: string) => MarketRead<ReadonlyArray<DatedFuture>>

  /**
   * Returns the liquidations of at least `minSizeUsd` (default 0). Contains at most `limit` events (default 1,000), the
   * totals of all events and, if `stepMs` is given, totals by step.
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
  /** A layer without derivatives: reads of one coin fail with `NoData`, and reads of all coins are empty. */
  static readonly layerNone: Layer.Layer<CoinDerivatives> = Layer.sync(CoinDerivatives, () => {
    const failNoData = ({ coin }: { readonly coin: string }) =>
      Effect.fail(
        new NoData({ subject: `${coin} derivatives`, reason: { key: "none_recorded", params: { symbol: coin } } })
      )
    const failNoDataOf = (coin: string) => failNoData({ coin })
    return {
      perpetual: failNoDataOf,
      perpetuals: Effect.map(Clock.currentTimeMillis, (now) => makeReading([], "none", now)),
      perpetualHistory: failNoData,
      fundingPayments: failNoData,
      watermarks: () => Effect.map(Clock.currentTimeMillis, (now) => makeReading(new Map(), "none", now)),
      fundingByVenue: failNoDataOf,
      openInterestByVenue: failNoDataOf,
      takerFlow: failNoData,
      futures: failNoDataOf,
      liquidations: failNoData
    }
  })
}
