import { Clock, Effect } from "effect"
import { SourceUnavailable } from "../../market/errors.ts"
import type { Article } from "../../market/news.ts"
import type { NewsFeed } from "../../market/NewsFeed.ts"
import { dayMs, hourMs, minuteMs } from "../../market/timeframe.ts"
import type { Embeddings } from "./Embeddings.ts"
import type { IndexedArticle, IndexedDay, NewsIndexService } from "./NewsIndex.ts"
import { conceptTermOf, termsOf } from "./terms.ts"
import { wholeVector } from "./wholeVector.ts"
import { hashText, wordsOf } from "./words.ts"

/** The services that fill an index. */
export interface Indexing {
  readonly feed: NewsFeed["Service"]
  readonly embeddings: Embeddings["Service"]
  readonly index: NewsIndexService
}

/** The maximum number of articles per day. The newest are kept. */
const articlesADay = 5_000
/** The maximum length of an article's fields, in UTF-16 units, and of its list of coins. */
const most = { id: 200, source: 200, url: 2_000, title: 500, body: 4_000, coins: 50 } as const
/** The maximum length of a body that is embedded. */
const embeddedCharacters = 1_500
/** The time limit of a request to the feed. */
const feedTimeoutMs = 5_000

/** The state of a day in the index. */
export type DayState = "missing" | "stale" | "old" | "fresh"

/**
 * Returns whether a day must be read, perhaps again, because articles arrive late, are corrected or withdrawn. A day
 * that was never read is `missing`. A day that was last read before its end, or that ended recently, is `stale`. A
 * query waits for both. Other days are read again occasionally, in the background (`old`).
 */
export const dayState = (day: number, known: IndexedDay | undefined, now: number): DayState => {
  if (known === undefined) return "missing"
  const age = now - known.readAt
  const end = day + dayMs
  if (known.readAt < end || now < end + dayMs) return age >= minuteMs ? "stale" : "fresh"
  return age >= (now < end + 7 * dayMs ? hourMs : dayMs) ? "old" : "fresh"
}

const stored = (text: string, length: number): string => text.slice(0, length).toWellFormed().replaceAll("\0", "")

const digestOf = ({ body, coins, source, time, title, url }: Article): string => {
  const text = JSON.stringify([time, source, url, title, body, coins])
  return `1/${hashText(text).toString(36)}/${hashText(`+${text}`).toString(36)}/${text.length}`
}

/** Returns the text of an article that is embedded. */
export const embeddedText = ({ body, title }: Pick<Article, "body" | "title">): string =>
  `${title}\n${body.slice(0, embeddedCharacters)}`

const conceptsOf = (text: string, concepts: Embeddings["Service"]["concepts"]): ReadonlyArray<number> =>
  concepts === undefined ? [] : concepts(wordsOf(text)).flat().map(conceptTermOf)

/** Prepares an article without its vector. Undefined if its id is unusable. */
const readOf = (
  article: Article,
  concepts: Embeddings["Service"]["concepts"]
): Omit<IndexedArticle, "vector"> | undefined => {
  const id = stored(article.id, most.id)
  if (id === "" || id !== article.id) return undefined
  const [title, body] = [stored(article.title, most.title), stored(article.body, most.body)]
  return {
    id,
    digest: digestOf(article),
    time: article.time,
    source: stored(article.source, most.source),
    url: stored(article.url, most.url),
    title,
    body,
    coins: article.coins.slice(0, most.coins).map((coin) => stored(coin, 20)),
    terms: [...new Set([...termsOf(title, body), ...conceptsOf(embeddedText({ title, body }), concepts)])]
  }
}

const silent = () =>
  Effect.fail(
    new SourceUnavailable({
      source: "news",
      failure: "unreachable",
      reason: `the feed did not answer within ${feedTimeoutMs / 1000} seconds`,
      retryable: true
    })
  )

/** Reads a day of the feed, embeds its new articles, and writes it. False if another process wrote a later read. */
const writeDay = Effect.fnUntraced(function*({ embeddings, feed, index }: Indexing, day: number) {
  const readAt = yield* Clock.currentTimeMillis
  const to = Math.min(day + dayMs, readAt + 1)
  const { asOf, sources, value } = yield* feed.articles({ from: day, to, limit: articlesADay }).pipe(
    Effect.timeoutOrElse({ duration: feedTimeoutMs, orElse: silent })
  )
  const { model } = embeddings
  const known = yield* index.digests({ model, day })
  const kept: Array<string> = []
  const changed = new Map<string, Article>()
  for (const article of value) {
    if (known.get(article.id) === digestOf(article)) kept.push(article.id)
    else changed.set(article.id, article)
  }
  const fresh: Array<Omit<IndexedArticle, "vector">> = []
  for (const article of changed.values()) {
    if (fresh.length % 16 === 15) yield* Effect.yieldNow
    const read = readOf(article, embeddings.concepts)
    if (read !== undefined) fresh.push(read)
  }
  const vectors = yield* embeddings.embed(
    fresh.map(embeddedText)
  )
  return yield* index.write({
    model,
    day,
    readAt,
    asOf: Math.min(asOf, day + dayMs),
    sources,
    articles: fresh.map((article, i) => ({ ...article, vector: wholeVector(vectors[i]!) })),
    kept
  })
})

/** Updates a day of the index. If another process wrote a later read meanwhile, retries once and accepts that read. */
export const indexDay = (parts: Indexing, day: number) =>
  Effect.flatMap(writeDay(parts, day), (written) => written ? Effect.void : Effect.asVoid(writeDay(parts, day)))
