import { Clock, Context, Effect, Layer } from "effect"
import { NoData } from "./errors.ts"
import { type MarketRead, reading } from "./reading.ts"
import type { RecordedRead } from "./recorded.ts"
import type { Interval, Series, Stepped } from "./series.ts"
import type { CoinActivity, SocialActivity, SocialPost } from "./social.ts"

/**
 * What people post about coins, as stored; what `CoinPrices` says of all stored market data holds here. A gap is an
 * outage of the collection, which is not silence.
 */
export class SocialFeed extends Context.Service<SocialFeed, {
  /** Posts about one coin, at most `limit` (default 1,000); the newest ones are kept. */
  readonly posts: (
    query: { readonly coin: string; readonly limit?: number } & Interval
  ) => MarketRead<ReadonlyArray<SocialPost>>

  /** Posts about one coin counted by bucket, empty buckets included. Counts agree with `posts`. */
  readonly activity: (query: { readonly coin: string } & Stepped) => MarketRead<Series<SocialActivity>>

  /** How far the posts about coins are recorded. */
  readonly recorded: RecordedRead

  /** The same of every trading coin at once, by coin; for trends. Each equals what `activity` says of it. */
  readonly activityByCoin: (query: Stepped) => MarketRead<ReadonlyArray<CoinActivity>>
}>()("@tapeline/core/market/SocialFeed") {
  /** A venue without posts: what is asked of one coin fails with `NoData`, what is asked of all is empty. */
  static readonly layerNone: Layer.Layer<SocialFeed> = Layer.sync(SocialFeed, () => {
    const none = ({ coin }: { readonly coin: string }) =>
      Effect.fail(new NoData({ subject: `${coin} posts`, reason: { key: "none_recorded", params: { symbol: coin } } }))
    return {
      posts: none,
      activity: none,
      recorded: () => Effect.map(Clock.currentTimeMillis, (now) => reading(new Map(), "none", now)),
      activityByCoin: () => Effect.map(Clock.currentTimeMillis, (now) => reading([], "none", now))
    }
  })
}
