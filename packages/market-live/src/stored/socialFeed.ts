import {
  type Series,
  type SocialActivity,
  SocialFeed,
  type SocialPost,
  type SteppedInterval
} from "@tapeline/core/market"
import {
  eventsKinds,
  type MarketEvent,
  MarketStore,
  marketStoreLimits,
  type SeriesGaps,
  type Tally
} from "@tapeline/core/market/store"
import { Clock, Effect, Layer } from "effect"
import { findListedCoin, noDataError, readCoins, type StoredCoin } from "./coins.ts"
import { postCodec } from "./documents.ts"
import { maxRecordDelayMs, selectBuckets, splitGaps } from "./gaps.ts"
import { makeRecordedRead } from "./recordedRead.ts"
import { inParallel, makeStoredReading, withReadErrors } from "./storeReads.ts"

type Store = MarketStore["Service"]
type Service = SocialFeed["Service"]

const kind = eventsKinds.posts
const defaultLimit = 1_000

const toPost = Effect.fnUntraced(function*({ document, id, label, sentiment, time }: MarketEvent<"sentiment">) {
  const { account, ...rest } = yield* postCodec.read(document ?? "")
  const post: SocialPost = { id, time, account: { handle: label ?? "", ...account }, sentiment, ...rest }
  return post
})

const makePostsRead = (store: Store): Service["posts"] =>
  Effect.fnUntraced(function*({ coin: name, limit = defaultLimit, ...query }) {
    const at = yield* Clock.currentTimeMillis
    const to = Math.max(query.from, Math.min(query.to, at + 1))
    const maxPosts = Math.min(limit, marketStoreLimits.maxRowsPerRead)
    const [{ coin }, read] = yield* inParallel(
      findListedCoin(store, name),
      withReadErrors(store.events({ kind, subject: name, from: query.from, to, limit: maxPosts }))
    )
    if (read.record === null) return yield* noDataError(coin, "posts", query)
    const posts = yield* Effect.forEach(read.events, toPost)
    return makeStoredReading(posts, read.sources, posts.at(-1)?.time ?? at)
  })

const toActivity = ({ count, known, labels, sums, time }: Tally<"sentiment">): SocialActivity => ({
  time,
  mentions: count,
  authors: labels,
  sentiment: known.sentiment === 0 ? null : sums.sentiment / known.sentiment
})

/**
 * Returns the counts by bucket, and the time up to which the counts are known, or undefined if nothing was recorded.
 */
const countByBucket = (
  { gaps, tallies }: { readonly gaps: SeriesGaps; readonly tallies: ReadonlyArray<Tally<"sentiment">> },
  query: SteppedInterval,
  coin: StoredCoin,
  now: number
): { readonly series: Series<SocialActivity>; readonly asOf: number } | undefined => {
  const holes = splitGaps(gaps, query, coin, now, maxRecordDelayMs)
  const sums = new Map(tallies.map((tally) => [tally.time, toActivity(tally)]))
  const points = selectBuckets(query, holes, coin, now, "with current").map((time) =>
    sums.get(time) ?? { time, mentions: 0, authors: 0, sentiment: null }
  )
  const last = points.at(-1)
  return last === undefined ? undefined : {
    series: { points, gaps: holes.gaps },
    asOf: Math.min(last.time + query.stepMs, holes.pending[0]?.from ?? now)
  }
}

const extendToBuckets = ({ from, stepMs, to }: SteppedInterval, now: number) => {
  const first = Math.floor(from / stepMs) * stepMs
  return { from: first, to: Math.max(first, Math.min(Math.ceil(to / stepMs) * stepMs, now + 1)), stepMs }
}

const makeActivityRead = (store: Store): Service["activity"] =>
  Effect.fnUntraced(function*({ coin: name, ...query }) {
    const buckets = extendToBuckets(query, yield* Clock.currentTimeMillis)
    const [{ coin, now }, all] = yield* inParallel(
      findListedCoin(store, name),
      withReadErrors(store.tallies({ kind, subjects: [name], ...buckets }))
    )
    const read = all.get(name)
    const found = read === undefined ? undefined : countByBucket(read, query, coin, now)
    if (read === undefined || found === undefined) return yield* noDataError(coin, "posts", query)
    return makeStoredReading(found.series, read.record.sources, found.asOf)
  })

const makeActivityByCoinRead = (store: Store): Service["activityByCoin"] =>
  Effect.fnUntraced(function*(query) {
    const now = yield* Clock.currentTimeMillis
    const [coins, all] = yield* inParallel(
      readCoins(store),
      withReadErrors(store.tallies({ kind, ...extendToBuckets(query, now) }))
    )
    const found = [...all].flatMap(([name, read]) => {
      const coin = coins.get(name)
      const one = coin === undefined || coin.delistedAt !== null ? undefined : countByBucket(read, query, coin, now)
      return one === undefined ? [] : [{ ...one, coin: name, sources: read.record.sources }]
    }).sort((a, b) => a.coin < b.coin ? -1 : 1)
    return makeStoredReading(
      found.map(({ coin, series }) => ({ coin, ...series })),
      found.flatMap(({ sources }) => sources),
      found.length === 0 ? now : Math.max(...found.map(({ asOf }) => asOf))
    )
  })

/** Implements `SocialFeed` with data from the market store. */
export const storedSocialFeed: Layer.Layer<SocialFeed, never, MarketStore> = Layer.effect(
  SocialFeed,
  Effect.map(MarketStore, (store) => ({
    posts: makePostsRead(store),
    activity: makeActivityRead(store),
    watermarks: makeRecordedRead(store, [{ kind }]),
    activityByCoin: makeActivityByCoinRead(store)
  }))
)
