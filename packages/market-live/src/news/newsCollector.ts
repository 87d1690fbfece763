import type { StoreUnavailable } from "@tapeline/core/engine"
import { type Article, dayMs, minuteMs, SourceUnavailable } from "@tapeline/core/market"
import { type EventRow, eventsKinds, type MarketStore, type MarketStoreRefusal } from "@tapeline/core/market/store"
import { Array as Arr, Clock, Effect } from "effect"
import type { EventsCollector, EventsResponse } from "../collect/collector.ts"
import { makeCoinFinder } from "../mentions/coinFinder.ts"
import { makeStockFinder, type NamedStock } from "../mentions/stockFinder.ts"
import { articleCodec, coinSubject, stockDocument, stockSubject } from "../stored/documents.ts"
import { articleId, ArticleIndex } from "./ArticleIndex.ts"
import type { NewsFeeds, PublishedFeed } from "./NewsFeeds.ts"
import type { FeedItem } from "./readFeed.ts"

type Store = MarketStore["Service"]
type Row = EventRow<"sentiment">
type StoreError = StoreUnavailable | MarketStoreRefusal

const kind = eventsKinds.articles

export interface NewsCollectorOptions {
  readonly feeds: NewsFeeds["Service"]
  readonly coins: ReadonlyArray<string>
  readonly everyMs?: number
}

/** The maximum age of new articles, and of stored articles with which new articles are compared. */
const maxArticleAgeMs = 30 * dayMs
/** The tolerance for clock differences, above which a publication date in the future is ignored. */
const clockToleranceMs = 10 * minuteMs
const stocksRefreshMs = 60 * minuteMs
/** The maximum number of stocks to search articles for. */
const maxStocks = 20_000

type FindMentions = (item: FeedItem) => Pick<Article, "coins" | "symbols">

const makeFindMentions = (coins: ReadonlyArray<string>, stocks: ReadonlyArray<NamedStock>): FindMentions => {
  const [findCoins, findStocks] = [makeCoinFinder(coins), makeStockFinder(stocks)]
  const listed = new Set(coins)
  return ({ excerpt, tags, title }) => {
    const text = [title, ...tags, excerpt].join(" . ")
    const tagged = tags.filter((tag) => listed.has(tag))
    return {
      coins: [...new Set([...tagged, ...findCoins(text)])].slice(0, 20),
      symbols: findStocks(text, tags).slice(0, 20)
    }
  }
}

const readStoredStocks = (store: Store): Effect.Effect<ReadonlyArray<NamedStock>, StoreError> =>
  Effect.flatMap(store.documents({ kind: stockDocument.kind }), (documents) =>
    Effect.map(
      Effect.forEach([...documents.values()].slice(0, maxStocks), (row) => {
        const [country, symbol] = row.key.split(":")
        if (symbol === undefined || country === "index") return Effect.succeed([])
        return Effect.match(stockDocument.decodeRow(row), {
          onFailure: () => [],
          onSuccess: ({ name }) => [{ symbol, name }]
        })
      }),
      (all) => all.flat()
    ))

/** The maximum number of articles of one read. */
const maxArticlesPerRead = 10_000

/**
 * Adds the stored articles of an interval to an index, oldest first. If one read cannot return all articles, both
 * halves of the interval are read.
 */
const addStoredArticles = Effect.fnUntraced(function*(
  store: Store,
  index: ArticleIndex,
  { from, to }: { readonly from: number; readonly to: number },
  now: number
): Effect.fn.Return<void, StoreError> {
  const { events } = yield* store.events({ kind, from, to, limit: maxArticlesPerRead })
  if (events.length === maxArticlesPerRead && to - from > 1) {
    const middle = Math.floor((from + to) / 2)
    yield* addStoredArticles(store, index, { from, to: middle }, now)
    return yield* addStoredArticles(store, index, { from: middle, to }, now)
  }
  for (const event of events) {
    const article = yield* Effect.option(articleCodec.read(event.document ?? ""))
    if (article._tag === "Some") index.add(event, article.value, now)
  }
})

/** Reads the stored articles of the last days, one day at a time, because the size of one read is limited. */
const readArticleIndex = Effect.fnUntraced(function*(store: Store): Effect.fn.Return<ArticleIndex, StoreError> {
  const index = new ArticleIndex()
  const now = yield* Clock.currentTimeMillis
  for (let from = now - maxArticleAgeMs; from <= now + clockToleranceMs; from += dayMs) {
    yield* addStoredArticles(store, index, { from, to: from + dayMs }, now)
  }
  return index
})

/** Returns the publication time of an article, or the current time if the feed's date is missing or in the future. */
const publicationTimeOf = ({ publishedAt }: FeedItem, now: number): number =>
  publishedAt === null || publishedAt > now + clockToleranceMs ? now : Math.min(publishedAt, now)

const newOrChangedArticles = (
  { feed }: PublishedFeed,
  { items, language }: { readonly items: ReadonlyArray<FeedItem>; readonly language: string },
  { about, memory, now }: { readonly about: FindMentions; readonly memory: ArticleIndex; readonly now: number }
): ReadonlyArray<Row> =>
  items.flatMap((item) => {
    const { excerpt, guid, title, url } = item
    const time = publicationTimeOf(item, now)
    if (time < now - maxArticleAgeMs) return []
    const candidate = { id: articleId(url, guid), source: feed.name, url, title, time }
    const known = memory.find(candidate, now)
    if (known !== undefined && (known.id !== candidate.id || known.source !== feed.name)) return []
    const { coins, symbols } = about(item)
    const row: Row = {
      id: candidate.id,
      // A corrected article keeps its publication time.
      time: known?.time ?? time,
      subjects: [...coins.map(coinSubject), ...symbols.map(stockSubject)],
      source: feed.name,
      label: feed.publisher,
      document: articleCodec.write({ url, title, body: excerpt, language, coins, symbols }),
      sentiment: null
    }
    if (known?.content === `${row.label}\n${row.document}`) return []
    memory.add(row, item, now)
    return [row]
  })

/** Adds the feed's name to an error, because all feeds share one source name. */
const withFeedName = ({ failure, reason, retryable, source }: SourceUnavailable, feed: string): SourceUnavailable =>
  new SourceUnavailable({ source, failure, reason: `${feed}: ${reason}`, retryable })

/** Converts a crash while reading a feed to an error of the feed, so that other feeds are not affected. */
const toFeedError = (feed: string) => (defect: unknown): Effect.Effect<never, SourceUnavailable> =>
  Effect.andThen(
    Effect.logError(`Reading the feed ${feed} failed unexpectedly`, defect),
    Effect.fail(
      new SourceUnavailable({
        source: "news",
        failure: "malformed",
        reason: "the feed cannot be read",
        retryable: true
      })
    )
  )

/**
 * Reads the news feeds while this process is leader. The reader keeps the known articles and the names to search for.
 */
class NewsReader {
  readonly #options: NewsCollectorOptions
  readonly #store: Store
  /** The known articles, or undefined if they must be read from the store again after a write that may have failed. */
  #index: ArticleIndex | undefined
  #findMentions: FindMentions | undefined
  #stocksReadAt = -Infinity

  constructor(options: NewsCollectorOptions, store: Store) {
    this.#options = options
    this.#store = store
  }

  get fetch(): Effect.Effect<EventsResponse, SourceUnavailable | StoreError> {
    return Effect.gen({ self: this }, function*() {
      const memory = this.#index ?? (yield* readArticleIndex(this.#store))
      this.#index = undefined
      const about = yield* this.#currentFindMentions()
      const answers = yield* Effect.forEach(
        this.#options.feeds,
        (one) =>
          Effect.result(Effect.mapBoth(Effect.catchDefect(one.items, toFeedError(one.feed.name)), {
            onFailure: (fault) => withFeedName(fault, one.feed.name),
            onSuccess: ({ value }) => ({ one, value })
          })),
        { concurrency: 4 }
      )
      const now = yield* Clock.currentTimeMillis
      const fresh = yield* Effect.forEach(
        Arr.getSuccesses(answers),
        ({ one, value }) =>
          Effect.sync(() => newOrChangedArticles(one, value, { about, memory, now })).pipe(
            Effect.catchDefect(toFeedError(one.feed.name)),
            Effect.mapError((fault) => withFeedName(fault, one.feed.name)),
            Effect.result
          )
      )
      const failed = [...Arr.getFailures(answers), ...Arr.getFailures(fresh)]
      const [rowsByFeed, hasCrash] = [Arr.getSuccesses(fresh), Arr.getFailures(fresh).length > 0]
      if (rowsByFeed.length === 0 && failed[0] !== undefined) return yield* failed[0]
      const rows = rowsByFeed.flat()
      memory.prune(now - maxArticleAgeMs)
      return {
        // If two feeds of a publisher contain one article, the last version is used.
        events: [...new Map(rows.map((row) => [row.id, row])).values()],
        faults: failed,
        onWritten: Effect.sync(() => {
          // If the reader of a feed crashed, `memory` may contain articles that were not returned. After a crash, the
          // index is read from the store again.
          this.#index = hasCrash ? undefined : memory
        })
      }
    })
  }

  #currentFindMentions(): Effect.Effect<FindMentions, StoreError> {
    return Effect.gen({ self: this }, function*() {
      const now = yield* Clock.currentTimeMillis
      if (this.#findMentions === undefined || now - this.#stocksReadAt >= stocksRefreshMs) {
        this.#findMentions = makeFindMentions(this.#options.coins, yield* readStoredStocks(this.#store))
        this.#stocksReadAt = now
      }
      return this.#findMentions
    })
  }
}

/** Returns the collector of news articles: titles, links and the beginnings of texts. */
export const newsCollector = (options: NewsCollectorOptions): EventsCollector => ({
  _tag: "events",
  source: "news",
  name: "articles",
  kind,
  everyMs: options.everyMs ?? 3 * minuteMs,
  offsetMs: 0,
  start: (store) => Effect.sync(() => ({ fetch: new NewsReader(options, store).fetch }))
})
