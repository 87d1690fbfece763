/** The collector of news feeds. */
import type { StoreUnavailable } from "@tapeline/core/engine"
import { type Article, dayMs, minuteMs, SourceUnavailable } from "@tapeline/core/market"
import { type EventRow, eventsKinds, type MarketStore, type MarketStoreRefusal } from "@tapeline/core/market/store"
import { Array as Arr, Clock, Effect } from "effect"
import { coinMentions } from "../../mentions/coinMentions.ts"
import { type NamedStock, stockMentions } from "../../mentions/stockMentions.ts"
import type { NewsFeeds, PublishedFeed } from "../../sources/feeds/NewsFeeds.ts"
import type { FeedItem } from "../../sources/feeds/readFeed.ts"
import { aboutCoin, aboutSymbol, articleForm, stockDocument } from "../../stored/documents.ts"
import type { EventsCollector, ToldEvents } from "../collector.ts"
import { articleId, ArticleMemory } from "./ArticleMemory.ts"

type Store = MarketStore["Service"]
type Row = EventRow<"sentiment">
type StoreError = StoreUnavailable | MarketStoreRefusal

const kind = eventsKinds.articles

export interface NewsCollectorOptions {
  readonly feeds: NewsFeeds["Service"]
  /** The coins that articles are searched for. */
  readonly coins: ReadonlyArray<string>
  readonly everyMs?: number
}

/** The maximum age of a new article, and of the stored articles that are remembered. */
const newsMs = 30 * dayMs
/** The tolerance for clock differences. A later publication date is ignored. */
const aheadMs = 10 * minuteMs
/** The interval at which the stocks are read again. */
const stocksEveryMs = 60 * minuteMs
/** The maximum number of stocks that articles are searched for. */
const namesMost = 20_000

/** Returns the coins and symbols that an article mentions. */
type About = (item: FeedItem) => Pick<Article, "coins" | "symbols">

const aboutOf = (coins: ReadonlyArray<string>, stocks: ReadonlyArray<NamedStock>): About => {
  const [coinsIn, stocksIn] = [coinMentions(coins), stockMentions(stocks)]
  const listed = new Set(coins)
  return ({ excerpt, tags, title }) => {
    const text = [title, ...tags, excerpt].join(" . ")
    const tagged = tags.filter((tag) => listed.has(tag))
    return {
      coins: [...new Set([...tagged, ...coinsIn(text)])].slice(0, 20),
      symbols: stocksIn(text, tags).slice(0, 20)
    }
  }
}

/** The stored stocks, by which articles are searched. */
const knownStocks = (store: Store): Effect.Effect<ReadonlyArray<NamedStock>, StoreError> =>
  Effect.flatMap(store.documents({ kind: stockDocument.kind }), (documents) =>
    Effect.map(
      Effect.forEach([...documents.values()].slice(0, namesMost), (row) => {
        const [country, symbol] = row.key.split(":")
        if (symbol === undefined || country === "index") return Effect.succeed([])
        return Effect.match(stockDocument.valueOf(row), {
          onFailure: () => [],
          onSuccess: ({ name }) => [{ symbol, name }]
        })
      }),
      (all) => all.flat()
    ))

/** Reads the stored articles of the last days, one day at a time, because the size of one read is limited. */
const remembered = Effect.fnUntraced(function*(store: Store): Effect.fn.Return<ArticleMemory, StoreError> {
  const memory = new ArticleMemory()
  const now = yield* Clock.currentTimeMillis
  for (let from = now - newsMs; from <= now + aheadMs; from += dayMs) {
    const { events } = yield* store.events({ kind, from, to: from + dayMs, limit: 10_000 })
    for (const event of events) {
      const told = yield* Effect.option(articleForm.read(event.document ?? ""))
      if (told._tag === "Some") memory.learn(event, told.value, now)
    }
  }
  return memory
})

/**
 * The publication time: the feed's date, unless it is in the future; otherwise the time at which the article was first
 * seen.
 */
const timeOf = ({ publishedAt }: FeedItem, now: number): number =>
  publishedAt === null || publishedAt > now + aheadMs ? now : Math.min(publishedAt, now)

/** The articles of a feed that are new or changed. */
const freshOf = (
  { feed }: PublishedFeed,
  { items, language }: { readonly items: ReadonlyArray<FeedItem>; readonly language: string },
  { about, memory, now }: { readonly about: About; readonly memory: ArticleMemory; readonly now: number }
): ReadonlyArray<Row> =>
  items.flatMap((item) => {
    const { excerpt, guid, title, url } = item
    const time = timeOf(item, now)
    if (time < now - newsMs) return []
    const candidate = { id: articleId(url, guid), source: feed.name, url, title, time }
    const known = memory.find(candidate, now)
    if (known !== undefined && (known.id !== candidate.id || known.source !== feed.name)) return []
    const { coins, symbols } = about(item)
    const row: Row = {
      id: candidate.id,
      // A corrected article keeps its time.
      time: known?.time ?? time,
      subjects: [...coins.map(aboutCoin), ...symbols.map(aboutSymbol)],
      source: feed.name,
      label: feed.publisher,
      document: articleForm.write({ url, title, body: excerpt, language, coins, symbols }),
      sentiment: null
    }
    if (known?.told === `${row.label}\n${row.document}`) return []
    memory.learn(row, item, now)
    return [row]
  })

/** Adds the feed's name to an error, because all feeds share one source. */
const named = ({ failure, reason, retryable, source }: SourceUnavailable, feed: string): SourceUnavailable =>
  new SourceUnavailable({ source, failure, reason: `${feed}: ${reason}`, retryable })

/** Turns a crash in reading a feed into an error of that feed only. */
const unreadable = (feed: string) => (defect: unknown): Effect.Effect<never, SourceUnavailable> =>
  Effect.andThen(
    Effect.logError(`Reading the feed ${feed} broke`, defect),
    Effect.fail(
      new SourceUnavailable({ source: "news", failure: "malformed", reason: "it cannot be read", retryable: true })
    )
  )

/** The state of one lead: the known articles and the names to search for. */
class Reading {
  readonly #options: NewsCollectorOptions
  readonly #store: Store
  /** Undefined if it must be read again, because its newest articles may not have been written. */
  #memory: ArticleMemory | undefined
  #about: About | undefined
  #stocksAt = -Infinity

  constructor(options: NewsCollectorOptions, store: Store) {
    this.#options = options
    this.#store = store
  }

  get ask(): Effect.Effect<ToldEvents, SourceUnavailable | StoreError> {
    return Effect.gen({ self: this }, function*() {
      const memory = this.#memory ?? (yield* remembered(this.#store))
      this.#memory = undefined
      const about = yield* this.#names()
      const answers = yield* Effect.forEach(
        this.#options.feeds,
        (one) =>
          Effect.result(Effect.mapBoth(Effect.catchDefect(one.items, unreadable(one.feed.name)), {
            onFailure: (fault) => named(fault, one.feed.name),
            onSuccess: ({ value }) => ({ one, value })
          })),
        { concurrency: 4 }
      )
      const now = yield* Clock.currentTimeMillis
      const fresh = yield* Effect.forEach(
        Arr.getSuccesses(answers),
        ({ one, value }) =>
          Effect.sync(() => freshOf(one, value, { about, memory, now })).pipe(
            Effect.catchDefect(unreadable(one.feed.name)),
            Effect.mapError((fault) => named(fault, one.feed.name)),
            Effect.result
          )
      )
      const failed = [...Arr.getFailures(answers), ...Arr.getFailures(fresh)]
      const [told, broken] = [Arr.getSuccesses(fresh), Arr.getFailures(fresh).length > 0]
      if (told.length === 0 && failed[0] !== undefined) return yield* failed[0]
      const rows = told.flat()
      memory.prune(now - newsMs)
      return {
        // If two feeds of a publisher have the same article, the last version is used.
        events: [...new Map(rows.map((row) => [row.id, row])).values()],
        faults: failed,
        written: Effect.sync(() => {
          // After a crash, the memory may contain articles that were not returned.
          this.#memory = broken ? undefined : memory
        })
      }
    })
  }

  /** New stocks are found within an hour. */
  #names(): Effect.Effect<About, StoreError> {
    return Effect.gen({ self: this }, function*() {
      const now = yield* Clock.currentTimeMillis
      if (this.#about === undefined || now - this.#stocksAt >= stocksEveryMs) {
        this.#about = aboutOf(this.#options.coins, yield* knownStocks(this.#store))
        this.#stocksAt = now
      }
      return this.#about
    })
  }
}

/** Collects articles of news feeds: titles, links and the beginnings of texts. */
export const newsCollector = (options: NewsCollectorOptions): EventsCollector => ({
  _tag: "events",
  source: "news",
  name: "articles",
  kind,
  everyMs: options.everyMs ?? 3 * minuteMs,
  offsetMs: 0,
  begin: (store) => Effect.succeed({ ask: new Reading(options, store).ask })
})
