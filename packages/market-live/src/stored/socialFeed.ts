import { type Series, type SocialActivity, SocialFeed, type SocialPost, type Stepped } from "@tapeline/core/market"
import {
  eventsKinds,
  marketBounds,
  type MarketEvent,
  MarketStore,
  type SeriesGaps,
  type Tally
} from "@tapeline/core/market/store"
import { Clock, Effect, Layer } from "effect"
import { asked, both, readingOf } from "./asking.ts"
import { postForm } from "./documents.ts"
import { listedCoin, nothingOf, type StoredCoin, storedCoins } from "./facts.ts"
import { lacking, recordAwaitedMs, toldBuckets } from "./gaps.ts"
import { recordedOf } from "./recorded.ts"

type Store = MarketStore["Service"]
type Service = SocialFeed["Service"]

const kind = eventsKinds.posts
const defaultLimit = 1_000

/** Makes a post from its event: the author is the label, the rest is in the document. */
const postOf = Effect.fnUntraced(function*({ document, id, label, sentiment, time }: MarketEvent<"sentiment">) {
  const { account, ...rest } = yield* postForm.read(document ?? "")
  const post: SocialPost = { id, time, account: { handle: label ?? "", ...account }, sentiment, ...rest }
  return post
})

const postsOf = (store: Store): Service["posts"] =>
  Effect.fnUntraced(function*({ coin: name, limit = defaultLimit, ...query }) {
    const at = yield* Clock.currentTimeMillis
    const to = Math.max(query.from, Math.min(query.to, at + 1))
    const most = Math.min(limit, marketBounds.rowsRead)
    const [{ coin }, read] = yield* both(
      listedCoin(store, name),
      asked(store.events({ kind, subject: name, from: query.from, to, limit: most }))
    )
    if (read.record === null) return yield* nothingOf(coin, "posts", query)
    const posts = yield* Effect.forEach(read.events, postOf)
    return readingOf(posts, read.sources, posts.at(-1)?.time ?? at)
  })

const sumOf = ({ count, known, labels, sums, time }: Tally<"sentiment">): SocialActivity => ({
  time,
  mentions: count,
  authors: labels,
  sentiment: known.sentiment === 0 ? null : sums.sentiment / known.sentiment
})

/** Counts by bucket, and the time up to which they are known; undefined if nothing was recorded. */
const counted = (
  { gaps, tallies }: { readonly gaps: SeriesGaps; readonly tallies: ReadonlyArray<Tally<"sentiment">> },
  query: Stepped,
  coin: StoredCoin,
  now: number
): { readonly series: Series<SocialActivity>; readonly asOf: number } | undefined => {
  const lacks = lacking(gaps, query, coin, now, recordAwaitedMs)
  const sums = new Map(tallies.map((tally) => [tally.time, sumOf(tally)]))
  const points = toldBuckets(query, lacks, coin, now, "running told").map((time) =>
    sums.get(time) ?? { time, mentions: 0, authors: 0, sentiment: null }
  )
  const last = points.at(-1)
  return last === undefined ? undefined : {
    series: { points, gaps: lacks.gaps },
    asOf: Math.min(last.time + query.stepMs, lacks.awaited[0]?.from ?? now)
  }
}

/** Extends a requested interval to whole buckets, up to the present. */
const wholeBuckets = ({ from, stepMs, to }: Stepped, now: number) => {
  const first = Math.floor(from / stepMs) * stepMs
  return { from: first, to: Math.max(first, Math.min(Math.ceil(to / stepMs) * stepMs, now + 1)), stepMs }
}

const activityOf = (store: Store): Service["activity"] =>
  Effect.fnUntraced(function*({ coin: name, ...query }) {
    const buckets = wholeBuckets(query, yield* Clock.currentTimeMillis)
    const [{ coin, now }, all] = yield* both(
      listedCoin(store, name),
      asked(store.tallies({ kind, subjects: [name], ...buckets }))
    )
    const read = all.get(name)
    const found = read === undefined ? undefined : counted(read, query, coin, now)
    if (read === undefined || found === undefined) return yield* nothingOf(coin, "posts", query)
    return readingOf(found.series, read.record.sources, found.asOf)
  })

const activityByCoinOf = (store: Store): Service["activityByCoin"] =>
  Effect.fnUntraced(function*(query) {
    const now = yield* Clock.currentTimeMillis
    const [coins, all] = yield* both(
      storedCoins(store),
      asked(store.tallies({ kind, ...wholeBuckets(query, now) }))
    )
    const found = [...all].flatMap(([name, read]) => {
      const coin = coins.get(name)
      const one = coin === undefined || coin.delistedAt !== null ? undefined : counted(read, query, coin, now)
      return one === undefined ? [] : [{ ...one, coin: name, sources: read.record.sources }]
    }).sort((a, b) => a.coin < b.coin ? -1 : 1)
    return readingOf(
      found.map(({ coin, series }) => ({ coin, ...series })),
      found.flatMap(({ sources }) => sources),
      found.length === 0 ? now : Math.max(...found.map(({ asOf }) => asOf))
    )
  })

/** `SocialFeed` over the service's own store. */
export const storedSocialFeed: Layer.Layer<SocialFeed, never, MarketStore> = Layer.effect(
  SocialFeed,
  Effect.map(MarketStore, (store) => ({
    posts: postsOf(store),
    activity: activityOf(store),
    recorded: recordedOf(store, [{ kind }]),
    activityByCoin: activityByCoinOf(store)
  }))
)
