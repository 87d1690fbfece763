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

/** What an index is filled from, and by. */
export interface Indexing {
  readonly feed: NewsFeed["Service"]
  readonly embeddings: Embeddings["Service"]
  readonly index: NewsIndexService
}

/** Of one day the newest are kept: more are beyond what is read. */
const articlesADay = 5_000
/** As much of an article is kept, in UTF-16 units. */
const most = { id: 200, source: 200, url: 2_000, title: 500, body: 4_000, coins: 50 } as const
/** As much of a body is embedded. */
const embeddedCharacters = 1_500
/** A feed that is silent for longer has failed. */
const feedTimeoutMs = 5_000

/** How a day stands, as an index has it. */
export type DayState = "missing" | "stale" | "old" | "fresh"

/**
 * Whether a day has to be read, again too, since articles come late, are corrected and withdrawn: one that was never
 * read, or not since its end, or that ended lately, is not waited without (`missing`, `stale`); others are read again
 * now and then, behind answers (`old`).
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

/** The text of an article that is embedded. */
export const embeddedText = ({ body, title }: Pick<Article, "body" | "title">): string =>
  `${title}\n${body.slice(0, embeddedCharacters)}`

const conceptsOf = (text: string, concepts: Embeddings["Service"]["concepts"]): ReadonlyArray<number> =>
  concepts === undefined ? [] : concepts(wordsOf(text)).flat().map(conceptTermOf)

/** An article without its vector; undefined of one without a usable name. */
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

/** Reads a day of the feed, embeds what is new in it, and writes it; false when somebody was faster. */
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

/** Brings a day of the index up to date. What somebody else wrote later in the meantime is as good. */
export const indexDay = (parts: Indexing, day: number) =>
  Effect.flatMap(writeDay(parts, day), (written) => written ? Effect.void : Effect.asVoid(writeDay(parts, day)))
