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
 * Stored data of coins' perpetuals, futures and liquidations. `CoinPrices` documents the rules of stored market data. A
 * read of a coin without a perpetual fails with `NoData`.
 */
export class CoinDerivatives extends Context.Service<CoinDerivatives, {
  /** Returns the newest record of a coin's perpetual. The record is normally at most ten minutes old. */
  readonly perpetual: (coin: string) => MarketRead<CurrentPerpetual>

  /** Returns the newest record of the perpetual of each coin that has a perpetual. */
  readonly perpetuals: MarketRead<ReadonlyArray<CoinPerpetual>>

  /**
   * Returns the perpetual at every multiple of `stepMs` in the interval. `stepMs` is at least 5 minutes, and each
   * record was polled within a minute of its `time`. If a record was not polled in time, the point is missing, and the
   * result does not repeat an older record. While a point may still be recorded, the watermark stays at the time of
   * that point.
   */
  readonly perpetualHistory: (query: { readonly coin: string } & SteppedInterval) => MarketRead<Series<PerpetualPoint>>

  /**
   * Returns the settled funding payments of the main venue, with the venue's timestamps. If the main venue changed in
   * the interval, the result includes the payments of both venues and names both as sources.
   */
  readonly fundingPayments: (query: { readonly coin: string } & Interval) => MarketRead<ReadonlyArray<FundingPayment>>

  /**
   * Returns for each coin the earlier of two watermarks: that of the perpetual's history and that of the funding
   * payments. A funding payment is due at a full hour, and its timestamp is within the next minute. A payment whose
   * timestamp is more than a minute after the full hour does not count as the payment of that hour. The watermark stays
   * at a full hour until the funding payment of that hour is recorded.
   */
  readonly watermarks: WatermarkRead

  /** Returns the current funding of each venue, sorted by venue name. */
  readonly fundingByVenue: (coin: string) => MarketRead<ReadonlyArray<VenueFunding>>

  /**
   * Returns the current open interest of each venue, sorted by venue name. If `perpetual` covers the same venues, its
   * open interest is the sum of these values.
   */
  readonly openInterestByVenue: (coin: string) => MarketRead<ReadonlyArray<VenueOpenInterest>>

  /**
   * Returns the taker volume of each complete bucket of `stepMs`, which is at least 5 minutes. The result omits the
   * bucket that has not ended yet.
   */
  readonly takerFlow: (query: { readonly coin: string } & SteppedInterval) => MarketRead<Series<TakerFlow>>

  /** Returns the current dated futures, nearest expiry first, or an empty list for a coin that has only a perpetual. */
  readonly futures: (coin: string) => MarketRead<ReadonlyArray<DatedFuture>>

  /**
   * Returns the liquidations of at least `minSizeUsd` (default 0). The result contains at most `limit` events (default
   * 1,000) and the totals of all events. If `stepMs` is given, the result also contains the totals of each step.
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
  /**
   * A layer without derivatives data. Reads of one coin fail with `NoData`, and reads of all coins return an empty
   * list.
   */
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
