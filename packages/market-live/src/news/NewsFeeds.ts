/** Provides news feeds of publishers. Each feed is requested separately, and is parsed only if the feed has changed. */
import { type SourceUnavailable } from "@tapeline/core/market"
import { Context, Effect, Layer } from "effect"
import {
  makeSource,
  type RetryPolicy,
  SourceHealth,
  type SourceResponse,
  type ValidatedValue,
  withValue
} from "../source/index.ts"
import { defaultNewsFeeds, type NewsFeedSource } from "./feedList.ts"
import { type FeedItem, type ReadFeed, readFeed } from "./readFeed.ts"

export interface PublishedFeed {
  readonly feed: NewsFeedSource
  /** Fetches the current articles in the order of the feed, and the feed's language. */
  readonly items: Effect.Effect<
    SourceResponse<{ readonly language: string; readonly items: ReadonlyArray<FeedItem> }>,
    SourceUnavailable
  >
}

export interface NewsFeedsOptions {
  readonly feeds?: ReadonlyArray<NewsFeedSource>
  /** The operator's contact, such as `Name contact@example.org`, which is sent only to US government sites. */
  readonly contact?: string
  readonly retryPolicy?: Partial<RetryPolicy>
}

export class NewsFeeds extends Context.Service<NewsFeeds, ReadonlyArray<PublishedFeed>>()(
  "@tapeline/market-live/NewsFeeds"
) {}

const limits = [{ weight: 10, windowMs: 60_000 }]

/** The maximum size of a feed in bytes, enough for about 200 full articles. */
const maxBytes = 4 * 1024 * 1024

/** The default time zone of dates, by the language of the feed. */
const defaultZones: Readonly<Record<string, string>> = { ko: "+0900", ru: "+0300" }

const makePublishedFeed = Effect.fnUntraced(
  function*(feed: NewsFeedSource, { contact, retryPolicy = {} }: NewsFeedsOptions) {
    const { hostname, origin, pathname, search } = new URL(feed.url)
    const sendsContact = contact !== undefined && hostname.endsWith(".gov")
    const source = yield* makeSource({
      name: "news",
      part: feed.name,
      baseUrl: origin,
      limits,
      headers: {
        accept: "application/rss+xml, application/atom+xml, application/xml;q=0.9, text/xml;q=0.8",
        "user-agent": sendsContact ? `tapeline ${contact}` : "tapeline"
      },
      retryPolicy
    })
    const read = (text: string) => readFeed(text, defaultZones[feed.language] ?? "+0000")
    let previous: ValidatedValue<ReadFeed> | null = null
    return {
      feed,
      items: Effect.suspend(() =>
        source.conditional({ label: "feed", path: `${pathname}${search}`, read, previous, maxBytes })
      )
        .pipe(Effect.map((answer) => {
          previous = answer.value
          const { items, language } = answer.value.value
          return withValue(answer, { language: language ?? feed.language, items })
        }))
    }
  }
)

export const layerNewsFeeds = (options: NewsFeedsOptions = {}): Layer.Layer<NewsFeeds, never, SourceHealth> =>
  Layer.effect(
    NewsFeeds,
    Effect.forEach(options.feeds ?? defaultNewsFeeds, (feed) => makePublishedFeed(feed, options))
  )
