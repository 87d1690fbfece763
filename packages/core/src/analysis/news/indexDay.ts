import { Clock, Effect } from "effect"
import { type MarketError, SourceUnavailable } from "../../market/errors.ts"
import type { Article } from "../../market/news.ts"
import type { NewsFeed } from "../../market/NewsFeed.ts"
import { makeReading, type Reading, sourcesOf } from "../../market/reading.ts"
import type { Interval } from "../../market/series.ts"
import { dayMs, hourMs, minuteMs } from "../../market/timeframe.ts"
import type { Embeddings } from "./Embeddings.ts"
import { toIntegerVector } from "./integerVector.ts"
import type { IndexedArticle, IndexedDay, NewsIndexService } from "./NewsIndex.ts"
import { getArticleTerms, toConceptTerm } from "./terms.ts"
import { hashText, splitWords } from "./words.ts"

export interface IndexServices {
  readonly feed: NewsFeed["Service"]
  readonly embeddings: Embeddings["Service"]
  readonly index: NewsIndexService
}

/** The maximum number of articles of one read of the feed. */
const maxArticlesPerRead = 5_000
/** The maximum lengths of an article's fields, in UTF-16 units. `coins` is the maximum number of coins per article. */
const maxLengths = { id: 200, source: 200, url: 2_000, title: 500, body: 4_000, coins: 50 } as const
const maxEmbeddedCharacters = 1_500
/** The time limit of a request to the feed, in ms. */
const feedTimeoutMs = 5_000

export type DayState = "missing" | "stale" | "old" | "fresh"

/**
 * Returns whether a day must be read from the feed again. Articles can arrive late, be corrected, or be withdrawn. Days
 * in the state `missing` or `stale` must be read before a query returns. A day in the state `old` is read again without
 * delaying the query.
 */
export const getDayState = (day: number, indexedDay: IndexedDay | undefined, now: number): DayState => {
  if (indexedDay === undefined) return "missing"
  const age = now - indexedDay.readAt
  const end = day + dayMs
  if (indexedDay.readAt < end || now < end + dayMs) return age >= minuteMs ? "stale" : "fresh"
  return age >= (now < end + 7 * dayMs ? hourMs : dayMs) ? "old" : "fresh"
}

const sanitise = (text: string, length: number): string => text.slice(0, length).toWellFormed().replaceAll("\0", "")

const makeDigest = ({ body, coins, source, time, title, url }: Article): string => {
  const text = JSON.stringify([time, source, url, title, body, coins])
  return `1/${hashText(text).toString(36)}/${hashText(`+${text}`).toString(36)}/${text.length}`
}

/** Returns the part of an article's text that is embedded. */
export const getEmbeddedText = ({ body, title }: Pick<Article, "body" | "title">): string =>
  `${title}\n${body.slice(0, maxEmbeddedCharacters)}`

const getConceptTerms = (text: string, getConcepts: Embeddings["Service"]["getConcepts"]): ReadonlyArray<number> =>
  getConcepts === undefined ? [] : getConcepts(splitWords(text)).flat().map(toConceptTerm)

const toIndexedArticle = (
  article: Article,
  getConcepts: Embeddings["Service"]["getConcepts"]
): Omit<IndexedArticle, "vector"> | undefined => {
  const id = sanitise(article.id, maxLengths.id)
  if (id === "" || id !== article.id) return undefined
  const [title, body] = [sanitise(article.title, maxLengths.title), sanitise(article.body, maxLengths.body)]
  return {
    id,
    digest: makeDigest(article),
    time: article.time,
    source: sanitise(article.source, maxLengths.source),
    url: sanitise(article.url, maxLengths.url),
    title,
    body,
    coins: article.coins.slice(0, maxLengths.coins).map((coin) => sanitise(coin, 20)),
    terms: [
      ...new Set([...getArticleTerms(title, body), ...getConceptTerms(getEmbeddedText({ title, body }), getConcepts)])
    ]
  }
}

const failWithFeedTimeout = () =>
  Effect.fail(
    new SourceUnavailable({
      source: "news",
      failure: "unreachable",
      reason: `the feed did not respond within ${feedTimeoutMs / 1000} seconds`,
      retryable: true
    })
  )

/**
 * Reads all articles of an interval. If one read cannot return all articles, both halves of the interval are read.
 */
const readArticles = Effect.fnUntraced(function*(
  feed: NewsFeed["Service"],
  { from, to }: Interval
): Effect.fn.Return<Reading<ReadonlyArray<Article>>, MarketError> {
  const read = yield* feed.articles({ from, to, limit: maxArticlesPerRead }).pipe(
    Effect.timeoutOrElse({ duration: feedTimeoutMs, orElse: failWithFeedTimeout })
  )
  if (read.value.length < maxArticlesPerRead || to - from <= 1) return read
  const middle = Math.floor((from + to) / 2)
  const older = yield* readArticles(feed, { from, to: middle })
  const newer = yield* readArticles(feed, { from: middle, to })
  return makeReading([...older.value, ...newer.value], sourcesOf([older, newer]), read.asOf)
})

/**
 * Reads a day of the feed and writes it to the index. Returns false without a write if another process changed the day
 * in the meantime.
 */
const writeDay = Effect.fnUntraced(function*({ embeddings, feed, index }: IndexServices, day: number) {
  const readAt = yield* Clock.currentTimeMillis
  const to = Math.min(day + dayMs, readAt + 1)
  const { asOf, sources, value } = yield* readArticles(feed, { from: day, to })
  const { model } = embeddings
  const knownDigests = yield* index.digests({ model, day })
  const unchangedIds: Array<string> = []
  const changed = new Map<string, Article>()
  for (const article of value) {
    if (knownDigests.get(article.id) === makeDigest(article)) unchangedIds.push(article.id)
    else changed.set(article.id, article)
  }
  const newArticles: Array<Omit<IndexedArticle, "vector">> = []
  for (const article of changed.values()) {
    if (newArticles.length % 16 === 15) yield* Effect.yieldNow
    const indexed = toIndexedArticle(article, embeddings.getConcepts)
    if (indexed !== undefined) newArticles.push(indexed)
  }
  const vectors = yield* embeddings.embed(
    newArticles.map(getEmbeddedText)
  )
  return yield* index.write({
    model,
    day,
    readAt,
    asOf: Math.min(asOf, day + dayMs),
    sources,
    articles: newArticles.map((article, i) => ({ ...article, vector: toIntegerVector(vectors[i]!) })),
    unchangedIds
  })
})

/**
 * Reads a day of the feed into the index, with one retry. If another process stores a later read of the day during both
 * attempts, the index keeps that later read.
 */
export const indexDay = (services: IndexServices, day: number) =>
  Effect.flatMap(
    writeDay(services, day),
    (isWritten) => isWritten ? Effect.void : Effect.asVoid(writeDay(services, day))
  )
