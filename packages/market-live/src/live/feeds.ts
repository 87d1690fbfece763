import { dayMs, NewsFeed, SocialFeed } from "@tapeline/core/market"
import { Effect, Layer } from "effect"
import { blueskyCollector, newsCollector, trackedCoins } from "../collect/index.ts"
import { type Patience, SourceHealth } from "../source/index.ts"
import { layerNewsFeeds, NewsFeeds } from "../sources/feeds/NewsFeeds.ts"
import { storedNewsFeed, storedSocialFeed } from "../stored/index.ts"
import type { LiveSettings } from "./LiveSettings.ts"
import { unfed } from "./unfed.ts"
import { whileFed } from "./whileFed.ts"

/** Publishers' feeds, as they are chosen. */
export const layerFeeds = ({ keys, newsFeeds }: LiveSettings, patience: Partial<Patience>) =>
  layerNewsFeeds({
    patience,
    ...(newsFeeds === undefined ? {} : { feeds: newsFeeds }),
    ...(keys?.edgarContact === undefined ? {} : { contact: keys.edgarContact })
  })

/** What is collected of what people write: articles, unless no feed is chosen, and posts. */
export const feedCollectors = ({ coins = trackedCoins, socketPatience = {}, urls = {} }: LiveSettings) =>
  Effect.map(Effect.all([NewsFeeds, SourceHealth]), ([feeds, health]) => {
    const names = coins.map(({ coin }) => coin)
    const { blueskyStreams: baseUrl } = urls
    const stream = { coins: names, patience: socketPatience, ...(baseUrl === undefined ? {} : { baseUrl }) }
    return [
      ...(feeds.length === 0 ? [] : [newsCollector({ feeds, coins: names })]),
      blueskyCollector(stream, health)
    ]
  })

/**
 * Posts, as they are stored. Fear and greed stands on days of posts where there are any, and does without them: whether
 * they are recorded, and what is counted by the day, fails for nobody's being away.
 */
export const postsPort = Layer.effect(
  SocialFeed,
  Effect.gen(function*() {
    const told = yield* Effect.provide(SocialFeed, whileFed(SocialFeed, storedSocialFeed, ["bluesky"]))
    const stored = yield* Effect.provide(SocialFeed, storedSocialFeed)
    return SocialFeed.of({
      ...told,
      recorded: stored.recorded,
      activity: (query) => query.stepMs < dayMs ? told.activity(query) : stored.activity(query)
    })
  })
)

/** Articles, as they are stored. */
export const newsPort = Layer.unwrap(Effect.map(NewsFeeds, (feeds) => {
  const [first, ...others] = feeds.map(({ feed }) => `news/${feed.name}`)
  if (first !== undefined) return whileFed(NewsFeed, storedNewsFeed, [first, ...others])
  const why = { source: "news", reason: "no feed of articles is read", variable: "TAPELINE_NEWS_FEEDS" }
  return unfed(NewsFeed, { articles: "question" }, why)
}))
