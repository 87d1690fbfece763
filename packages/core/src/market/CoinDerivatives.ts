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
 * Stored data of coins' perpetuals, futures and liquidations. The rules of `CoinPrices` for stored market data apply. A
 * read of a coin without a perpetual fails with `NoData`.
 */
export class CoinDerivatives extends Context.Service<CoinDerivatives, {
  /** Returns the newest record of a coin's perpetual, in normal operation at most ten minutes old. */
  readonly perpetual: (coin: string) => MarketRead<CurrentPerpetual>

  /** Returns the newest record of the perpetual of each coin that has a perpetual. */
  readonly perpetuals: MarketRead<ReadonlyArray<CoinPerpetual>>

  /**
   * Returns the perpetual at every multiple of `stepMs` (at least 5 minutes) in the interval, each polled within a
   * minute of its `time`. A missed record is missing and not replaced by an older value. While a poll for a past time
   * is running, the watermark stays at that time.
   */
  readonly perpetualHistory: (query: { readonly coin: string } & SteppedInterval) => MarketRead<Series<PerpetualPoint>>

  /**
   * Returns the settled funding payments of the main venue, with the venue's timestamps. If another venue replaced the
   * main venue for a time, the payments include those of the other venue, and the sources name both venues.
   */
  readonly fundingPayments: (query: { readonly coin: string } & Interval) => MarketRead<ReadonlyArray<FundingPayment>>

  /**
   * Returns the watermark of each coin: the earlier watermark of the perpetual's history and of the funding payments. A
   * funding payment is due at the full hour and has a timestamp within the next minute. The watermark stays at the full
   * hour until the payment is recorded.
   */
  readonly watermarks: WatermarkRead

  /** Returns the current funding of each venue, sorted by venue name. */
  readonly fundingByVenue: (coin: string) => MarketRead<ReadonlyArray<VenueFunding>>

  /**
   * Returns the current open interest of each venue, sorted by venue name. The values add up to the open interest of
   * `perpetual` if both reads cover equal venues.
   */
  readonly openInterestByVenue: (coin: string) => MarketRead<ReadonlyArray<VenueOpenInterest>>

  /** Returns the taker volume of each complete bucket of `stepMs`, at least 5 minutes, without the running bucket. */
  readonly takerFlow: (query: { readonly coin: string } & SteppedInterval) => MarketRead<Series<TakerFlow>>

  /** Returns the current dated futures, nearest expiry first, or an empty list for a coin that has only a perpetual. */
  readonly futures: (coin: string) => MarketRead<ReadonlyArray<DatedFuture>>

  /**
   * Returns the liquidations of at least `minSizeUsd` (default 0): at most `limit` events (default 1,000), the totals
   * of all events and, if `stepMs` is given, totals by step.
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
  /** A layer without derivatives, in which reads of one coin fail with `NoData`, and reads of all coins are empty. */
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
