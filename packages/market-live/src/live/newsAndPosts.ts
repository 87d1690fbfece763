import { dayMs, NewsFeed, SocialFeed, SourceUnavailable } from "@tapeline/core/market"
import { eventsKinds, MarketStore } from "@tapeline/core/market/store"
import { Clock, Effect, Layer } from "effect"
import { blueskyCollector, MarketHealth, newsCollector, trackedCoins } from "../collect/index.ts"
import { layerNewsFeeds, NewsFeeds } from "../news/NewsFeeds.ts"
import { type RetryPolicy, SourceHealth } from "../source/index.ts"
import { storedNewsFeed, storedSocialFeed } from "../stored/index.ts"
import { withReadErrors } from "../stored/storeReads.ts"
import type { LiveSettings } from "./LiveSettings.ts"
import { layerNotConfigured, withSourceHealth } from "./withSourceHealth.ts"

export const layerFeeds = ({ keys, newsFeeds }: LiveSettings, retryPolicy: Partial<RetryPolicy>) =>
  layerNewsFeeds({
    retryPolicy,
    ...(newsFeeds === undefined ? {} : { feeds: newsFeeds }),
    ...(keys?.edgarContact === undefined ? {} : { contact: keys.edgarContact })
  })

/** Creates the collectors of posts, and of articles unless the list of feeds is empty. */
export const feedCollectors = ({ coins = trackedCoins, reconnectPolicy = {}, urls = {} }: LiveSettings) =>
  Effect.map(Effect.all([NewsFeeds, SourceHealth]), ([feeds, health]) => {
    const names = coins.map(({ coin }) => coin)
    const { blueskyStreams: baseUrl } = urls
    const stream = { coins: names, reconnectPolicy, ...(baseUrl === undefined ? {} : { baseUrl }) }
    return [
      ...(feeds.length === 0 ? [] : [newsCollector({ feeds, coins: names })]),
      blueskyCollector(stream, health)
    ]
  })

/**
 * Provides `SocialFeed` from the store. Daily activity and the recorded period can be read even if the source is
 * unavailable.
 */
export const layerPosts = Layer.effect(
  SocialFeed,
  Effect.gen(function*() {
    const monitored = yield* Effect.provide(
      SocialFeed,
      withSourceHealth(SocialFeed, storedSocialFeed, ["bluesky/posts"])
    )
    const stored = yield* Effect.provide(SocialFeed, storedSocialFeed)
    return SocialFeed.of({
      ...monitored,
      watermarks: stored.watermarks,
      activity: (query) => query.stepMs < dayMs ? monitored.activity(query) : stored.activity(query)
    })
  })
)

const maxNamedFeeds = 3

const describeFeeds = (names: ReadonlyArray<string>): string => {
  const more = names.length - maxNamedFeeds
  const named = names.slice(0, maxNamedFeeds).join(", ")
  return `news of ${named}${more > 0 ? ` and ${more} more` : ""}`
}

/** Provides `NewsFeed` from the store. Until the feeds have been read once, an empty result is an error. */
const layerArticles = (names: ReadonlyArray<string>) =>
  Layer.effect(
    NewsFeed,
    Effect.gen(function*() {
      const { articles } = yield* NewsFeed
      const [{ report }, store] = yield* Effect.all([MarketHealth, MarketStore])
      const source = describeFeeds(names)
      const notCollectedYet = new SourceUnavailable({
        source,
        failure: "unreachable",
        reason: "no articles have been collected yet",
        retryable: true
      })
      const withFeedNames = ({ failure, reason, retryable, retryAfterMs }: SourceUnavailable) =>
        new SourceUnavailable({
          source,
          failure,
          reason,
          retryable,
          ...(retryAfterMs === undefined ? {} : { retryAfterMs })
        })
      const hasArticles = Effect.gen(function*() {
        const now = yield* Clock.currentTimeMillis
        const { events } = yield* withReadErrors(
          store.events({ kind: eventsKinds.articles, from: 0, to: now + 1, limit: 1 })
        )
        if (events.length > 0) return true
        const { collectorsBySource } = yield* report
        return collectorsBySource.some((one) =>
          one.source === "news" && one.collectors.some(({ completeAt }) => completeAt !== null)
        )
      })
      return NewsFeed.of({
        articles: (query) =>
          articles(query).pipe(
            Effect.flatMap((read) =>
              read.value.length > 0
                ? Effect.succeed(read)
                : Effect.flatMap(
                  hasArticles,
                  (hasRead) => hasRead ? Effect.succeed(read) : Effect.fail(notCollectedYet)
                )
            ),
            Effect.catchTag(
              "SourceUnavailable",
              (error) => Effect.fail(error.source === "news" ? withFeedNames(error) : error)
            )
          )
      })
    })
  )

export const layerNews = Layer.unwrap(Effect.map(NewsFeeds, (feeds) => {
  const names = feeds.map(({ feed }) => feed.name)
  const [first, ...others] = names.map((name) => `news/${name}`)
  if (first !== undefined) {
    return Layer.provide(layerArticles(names), withSourceHealth(NewsFeed, storedNewsFeed, [first, ...others]))
  }
  const why = { source: "news", reason: "no news feed is configured", variable: "TAPELINE_NEWS_FEEDS" }
  return layerNotConfigured(NewsFeed, { articles: "question" }, why)
}))
