import { Clock, Effect, Exit, Semaphore } from "effect"
import type { StoreUnavailable } from "../../engine/store/errors.ts"
import { quoteText } from "../../engine/text/formatting.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { type MarketError, SourceUnavailable } from "../../market/errors.ts"
import { sourcesOf } from "../../market/reading.ts"
import { dayMs } from "../../market/timeframe.ts"
import { type ArticleFilter, makeArticleFilter } from "./articleFilter.ts"
import {
  getConceptTerms,
  getConceptWeights,
  getQueryWords,
  makeCoverageTest,
  makeUnknownWordsTest
} from "./coverage.ts"
import { getDayState, indexDay, type IndexServices } from "./indexDay.ts"
import { toIntegerProduct, toIntegerVector } from "./integerVector.ts"
import type { FoundArticle, IndexedDay } from "./NewsIndex.ts"
import { type NewsQuery, newsRetentionDays, type NewsSearchResult } from "./newsQuery.ts"
import { fuseRankings, getTermWeights, mergeByBestRank, rankByWords, type TermMatches } from "./ranking.ts"
import { makeSnippet } from "./snippet.ts"
import { getQueryTerms } from "./terms.ts"

/** The maximum time that a query waits for older days, in ms. A query always waits for the newest two days. */
const waitMs = 700
const newestDays = 2
/** The maximum number of articles that are used from each ranking. */
const maxListedArticles = 100

interface FilledDays {
  readonly days: ReadonlyArray<IndexedDay>
  readonly isComplete: boolean
  readonly notes: ReadonlyArray<string>
}

/**
 * Creates a function that fills the index for the days of `[from, now]`, newest day first. Only one day is filled at a
 * time, even if several queries run.
 */
const makeIndexFiller = Effect.fnUntraced(function*(services: IndexServices) {
  const scope = yield* Effect.scope
  const { embeddings: { model }, index } = services
  const fillSemaphore = yield* Semaphore.make(1)
  let isFillingInBackground = false
  let lastDeletionDay = -Infinity

  const readIndexedDays = (from: number, to: number) => index.days({ model, from, to })
  const fill = (day: number, states: ReadonlyArray<ReturnType<typeof getDayState>>) =>
    fillSemaphore.withPermits(1)(Effect.gen(function*() {
      const [indexedDay] = yield* readIndexedDays(day, day + 1)
      const now = yield* Clock.currentTimeMillis
      if (states.includes(getDayState(day, indexedDay, now))) yield* indexDay(services, day)
    }))
  const fillInBackground = Effect.fnUntraced(function*(days: ReadonlyArray<number>, today: number) {
    for (const day of days) yield* fill(day, ["missing", "stale", "old"])
    if (lastDeletionDay === today) return
    yield* index.deleteDays({ before: today - (newsRetentionDays + 1) * dayMs })
    lastDeletionDay = today
  })

  return Effect.fnUntraced(function*(from: number, now: number) {
    const today = Math.floor(now / dayMs) * dayMs
    const first = Math.floor(from / dayMs) * dayMs
    const daysBefore = new Map((yield* readIndexedDays(first, today + 1)).map((day) => [day.day, day]))
    const days = Array.from({ length: (today - first) / dayMs + 1 }, (_, i) => today - i * dayMs)
    const getState = (day: number) => getDayState(day, daysBefore.get(day), now)
    const daysToAwait = days.filter((day) => getState(day) === "missing" || getState(day) === "stale")
    const daysForBackground = days.filter((day) => getState(day) === "old")
    const notes: Array<string> = []
    for (const [i, day] of daysToAwait.entries()) {
      if (i >= newestDays && (yield* Clock.currentTimeMillis) - now > waitMs) {
        daysForBackground.unshift(...daysToAwait.slice(i))
        break
      }
      const exit = yield* Effect.exit(fill(day, ["missing", "stale"]))
      if (Exit.isSuccess(exit)) continue
      const staleDay = daysBefore.get(day)
      if (staleDay === undefined) return yield* Effect.failCause(exit.cause)
      notes.push(`The news feed does not respond: articles after ${formatInstant(staleDay.readAt)} are missing.`)
      daysForBackground.unshift(...daysToAwait.slice(i + 1))
      break
    }
    if (!isFillingInBackground && (daysForBackground.length > 0 || lastDeletionDay !== today)) {
      isFillingInBackground = true
      yield* fillInBackground(daysForBackground, today).pipe(
        // A failure of the background work is ignored, because the next query fills the index again.
        Effect.ignore,
        Effect.ensuring(Effect.sync(() => void (isFillingInBackground = false))),
        Effect.forkIn(scope)
      )
    }
    const filledDays = yield* readIndexedDays(first, today + 1)
    const isComplete = filledDays.length === days.length
    if (!isComplete) {
      notes.push(
        `${filledDays.length} of the ${days.length} requested days were searched; the others are still being read. Try again soon.`
      )
    }
    return { days: filledDays, isComplete, notes } satisfies FilledDays
  })
})

const emptyNotes = (hasNoSearchableWord: boolean): ReadonlyArray<string> => [
  hasNoSearchableWord
    ? "The query contains no searchable word."
    : "No article of this period matches the query. Search a longer period, or use other words."
]

const failWhileFilling = () =>
  Effect.fail(
    new SourceUnavailable({
      source: "news",
      failure: "filling",
      reason: "nothing was found in the days that were read; the other days are still being read",
      retryable: true
    })
  )

const getWordings = ({ alternativeWording, query }: NewsQuery): ReadonlyArray<string> =>
  alternativeWording === undefined ? [query] : [query, alternativeWording]

/**
 * The minimum inner product of an article, as a share of the nearest article's inner product. The limit is a share,
 * because inner products depend on the question's length.
 */
const minNearestShare = 0.55
/** For a narrow question, the minimum inner product is multiplied by this factor. */
const narrowMinShare = 0.5

/**
 * If the model returns concepts, an article must contain this share of the question's words, by weight. The second
 * share applies if the question names a subject, because all found articles are about that subject anyway.
 */
const [defaultCoverageShare, subjectCoverageShare] = [1 / 2, 1 / 3]

/** Omits the articles that are much further from the question than the nearest article. */
const omitFar = <A extends { readonly product: number }>(articles: ReadonlyArray<A>): ReadonlyArray<A> =>
  articles.filter(({ product }) => product >= minNearestShare * articles[0]!.product)

const noMatches: TermMatches = { articles: 0, groups: [] }

const rankWording = Effect.fnUntraced(function*(
  { embeddings: { getConcepts, embed, model, minSimilarity }, index }: IndexServices,
  wording: string,
  { coin, from }: NewsQuery,
  { hasSubject, isNarrow, isSubject }: ArticleFilter,
  now: number
) {
  const terms = getQueryTerms(wording)
  const vector = toIntegerVector((yield* embed([wording]))[0]!)
  const filter = { model, from, to: now + 1, coin }
  const minProduct = toIntegerProduct(isNarrow ? narrowMinShare * minSimilarity : minSimilarity)
  const [all, termMatches] = yield* Effect.all([
    vector.every((x) => x === 0)
      ? Effect.succeed([])
      : index.findNearest({ ...filter, vector, minProduct, limit: maxListedArticles }),
    terms.terms.length === 0
      ? Effect.succeed(noMatches)
      : index.matchTerms({ ...filter, terms: terms.terms, limit: maxListedArticles })
  ], { concurrency: 2 })
  const unreadable = terms.terms.length === 0 && vector.every((x) => x === 0)
  const wordMatches = rankByWords(termMatches, terms, maxListedArticles)
  if (getConcepts === undefined) return { unreadable, near: isNarrow ? all : omitFar(all), matched: wordMatches }
  const words = getQueryWords(wording, terms, getConcepts, termMatches, isSubject)
  const isKnown = words.every(({ isUnknown }) => !isUnknown)
  if (isKnown && isNarrow) return { unreadable, near: all, matched: wordMatches }
  const candidates = isKnown ? omitFar(all) : [...all, ...wordMatches]
  const queryConcepts = getConceptTerms(words)
  const [texts, conceptMatches] = yield* Effect.all([
    index.articles({ model, ids: [...new Set(candidates.map(({ id }) => id))] }),
    queryConcepts.length === 0
      ? Effect.succeed(noMatches)
      : index.matchTerms({ ...filter, terms: queryConcepts, limit: 1 })
  ], { concurrency: 2 })
  const selectTexts = <A extends FoundArticle>(
    found: ReadonlyArray<A>,
    test: ReturnType<typeof makeCoverageTest>
  ): ReadonlyArray<A> =>
    found.filter(({ id }) => {
      const text = texts.get(id)
      return text !== undefined && test(text)
    })
  const weights = getConceptWeights(words, getTermWeights(termMatches, terms), queryConcepts, conceptMatches)
  const containsUnknownWords = makeUnknownWordsTest(words.filter((_, i) => weights[i]! > 0), getConcepts, isNarrow)
  const [near, matched] = isKnown
    ? [all, wordMatches]
    : [selectTexts(all, containsUnknownWords), selectTexts(wordMatches, containsUnknownWords)]
  if (isNarrow) return { unreadable, near, matched }
  const minCoverageShare = hasSubject ? subjectCoverageShare : defaultCoverageShare
  return {
    unreadable,
    near: selectTexts(omitFar(near), makeCoverageTest(words, weights, minCoverageShare, getConcepts)),
    matched
  }
})

export const makeSearch = Effect.fnUntraced(function*(services: IndexServices) {
  const { embeddings: { model }, feed, index } = services
  const fillDays = yield* makeIndexFiller(services)

  const rankArticles = Effect.fnUntraced(function*(query: NewsQuery, filter: ArticleFilter, now: number) {
    const wordings = getWordings(query)
    const rankings = yield* Effect.forEach(wordings, (wording) => rankWording(services, wording, query, filter, now))
    return {
      terms: getQueryTerms(wordings.toReversed().join(" ")),
      unreadable: rankings.every(({ unreadable }) => unreadable),
      found: fuseRankings([
        mergeByBestRank(rankings.map(({ near }) => near)),
        mergeByBestRank(rankings.map(({ matched }) => matched))
      ])
    }
  })

  return Effect.fnUntraced(
    function*(query: NewsQuery): Effect.fn.Return<NewsSearchResult, MarketError | StoreUnavailable> {
      const now = yield* Clock.currentTimeMillis
      const { coin, top } = query
      const from = Math.max(query.from, now - newsRetentionDays * dayMs)
      // Fails with `UnknownSymbol` for an unlisted coin.
      if (coin !== undefined) yield* feed.articles({ coin, from: now, to: now + 1, limit: 1 })
      const { days, notes, isComplete } = yield* fillDays(from, now)
      const filter = makeArticleFilter(getWordings(query), query.companies)
      const { found, terms, unreadable } = yield* rankArticles({ ...query, from }, filter, now)
      const texts = yield* index.articles({ model, ids: found.map(({ id }) => id) })
      const best = found.flatMap(({ id, score }) => {
        const text = texts.get(id)
        return text === undefined || !filter.accepts(text) ? [] : [{ ...text, score }]
      })
      if (best.length === 0 && !isComplete && !unreadable) return yield* failWhileFilling()
      const articles = best.slice(0, top).map(({ body, score, source, time, title, url }) => ({
        title: quoteText(title),
        url,
        source: quoteText(source, 64),
        time,
        score,
        snippet: makeSnippet(body, terms)
      }))
      return {
        articles,
        asOf: Math.min(now, Math.max(...days.map(({ asOf }) => asOf))),
        sources: sourcesOf(days),
        notes: articles.length === 0 ? [...notes, ...emptyNotes(unreadable)] : notes
      }
    }
  )
})
