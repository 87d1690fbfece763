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
   * record was polled within a minute of its `time`. A record that was not polled in time is missing, and no older
   * record replaces it. While a record of a past time is still being polled, the watermark stays at that time.
   */
  readonly perpetualHistory: (query: { readonly coin: string } & SteppedInterval) => MarketRead<Series<PerpetualPoint>>

  /**
   * Returns the settled funding payments of the main venue, with the venue's timestamps. If another venue was the main
   * venue for a time, its payments are included, and the sources name both venues.
   */
  readonly fundingPayments: (query: { readonly coin: string } & Interval) => MarketRead<ReadonlyArray<FundingPayment>>

  /**
   * Returns for each coin the earlier of two watermarks: that of the perpetual's history and that of the funding
   * payments. A funding payment is due at a full hour, and its timestamp is within the next minute. A payment with
   * a later timestamp does not count for that hour. Until a due funding
   * payment is recorded, the watermark stays at the full hour.
   */
  readonly watermarks: WatermarkRead

  /** Returns the current funding of each venue, sorted by venue name. */
  readonly fundingByVenue: (coin: string) => MarketRead<ReadonlyArray<VenueFunding>>

  /**
   * Returns the current open interest of each venue, sorted by venue name. If both reads cover the same venues, the
   * values add up to the open interest that `perpetual` returns.
   */
  readonly openInterestByVenue: (coin: string) => MarketRead<ReadonlyArray<VenueOpenInterest>>

  /**
   * Returns the taker volume of each complete bucket of `stepMs`, which is at least 5 minutes. The bucket that is still
   * running is not returned.
   */
  readonly takerFlow: (query: { readonly coin: string } & SteppedInterval) => MarketRead<Series<TakerFlow>>

  /** Returns the current dated futures, nearest expiry first, or an empty list for a coin that has only a perpetual. */
  readonly futures: (coin: string) => MarketRead<ReadonlyArray<DatedFuture>>

  /**
   * Returns the liquidations of at least `minSizeUsd` (default 0). The result contains at most `limit` events (default
   * 1,000) and the totals of all events. If `stepMs` is given, the result also contains the totals by step.
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
