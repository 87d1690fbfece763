import { Clock, Context, Effect, Layer } from "effect"
import { NoData } from "./errors.ts"
import { makeReading, type MarketRead } from "./reading.ts"
import type { Interval, Series, SteppedInterval } from "./series.ts"
import type { CoinActivity, SocialActivity, SocialPost } from "./social.ts"
import type { WatermarkRead } from "./watermark.ts"

/**
 * Stored posts about coins. `CoinPrices` documents the rules of stored market data. A gap means that the collection of
 * posts failed, not that there were no posts.
 */
export class SocialFeed extends Context.Service<SocialFeed, {
  /** Returns the newest posts about one coin in the interval, at most `limit` (default 1,000). */
  readonly posts: (
    query: { readonly coin: string; readonly limit?: number } & Interval
  ) => MarketRead<ReadonlyArray<SocialPost>>

  /**
   * Returns the number of posts about one coin by bucket, including empty buckets. The numbers agree with the posts
   * that `posts` returns.
   */
  readonly activity: (query: { readonly coin: string } & SteppedInterval) => MarketRead<Series<SocialActivity>>

  readonly watermarks: WatermarkRead

  /** Returns the same data as `activity`, for every trading coin. */
  readonly activityByCoin: (query: SteppedInterval) => MarketRead<ReadonlyArray<CoinActivity>>
}>()("@tapeline/core/market/SocialFeed") {
  /** A layer without posts. Reads of one coin fail with `NoData`, and reads of all coins return an empty list. */
  static readonly layerNone: Layer.Layer<SocialFeed> = Layer.sync(SocialFeed, () => {
    const failNoData = ({ coin }: { readonly coin: string }) =>
      Effect.fail(new NoData({ subject: `${coin} posts`, reason: { key: "none_recorded", params: { symbol: coin } } }))
    return {
      posts: failNoData,
      activity: failNoData,
      watermarks: () => Effect.map(Clock.currentTimeMillis, (now) => makeReading(new Map(), "none", now)),
      activityByCoin: () => Effect.map(Clock.currentTimeMillis, (now) => makeReading([], "none", now))
    }
  })
}
