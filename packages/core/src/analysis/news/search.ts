import { Clock, Effect, Exit, Semaphore } from "effect"
import type { StoreUnavailable } from "../../engine/store/StoreUnavailable.ts"
import { quoted } from "../../engine/text/quoted.ts"
import { instant } from "../../engine/tool/result.ts"
import { type MarketError, SourceUnavailable } from "../../market/errors.ts"
import { sourcesOf } from "../../market/reading.ts"
import { dayMs } from "../../market/timeframe.ts"
import { askedWords, conceptTerms, conceptWeights, covering } from "./coverage.ts"
import { type Fitting, fitting } from "./fitting.ts"
import { dayState, indexDay, type Indexing } from "./indexing.ts"
import type { FoundArticle, IndexedDay } from "./NewsIndex.ts"
import { type NewsFound, newsKeptDays, type NewsQuery } from "./newsQuestion.ts"
import { byBestPlace, byWords, fused, type Matching, weightsOf } from "./ranking.ts"
import { snippetOf } from "./snippet.ts"
import { queryTermsOf } from "./terms.ts"
import { wholeProduct, wholeVector } from "./wholeVector.ts"

/**
 * The maximum wait of a query for days to be filled, except for the newest two. The remaining days are filled in the
 * background.
 */
const waitMs = 700
const newestDays = 2
/** The number of articles of each order that are merged. */
const listed = 100

interface Filled {
  readonly days: ReadonlyArray<IndexedDay>
  /** Whether all requested days are filled. */
  readonly whole: boolean
  readonly notes: ReadonlyArray<string>
}

/** Fills the days of `[from, now]`, newest first. A process fills one day at a time, for all queries. */
const makeFilling = Effect.fnUntraced(function*(parts: Indexing) {
  const scope = yield* Effect.scope
  const { embeddings: { model }, index } = parts
  const turns = yield* Semaphore.make(1)
  let behind = false
  let forgotten = -Infinity

  const known = (from: number, to: number) => index.days({ model, from, to })
  /** Fills a day if it is in one of the given states. */
  const fill = (day: number, states: ReadonlyArray<ReturnType<typeof dayState>>) =>
    turns.withPermits(1)(Effect.gen(function*() {
      const [found] = yield* known(day, day + 1)
      const now = yield* Clock.currentTimeMillis
      if (states.includes(dayState(day, found, now))) yield* indexDay(parts, day)
    }))
  const fillBehind = Effect.fnUntraced(function*(days: ReadonlyArray<number>, today: number) {
    for (const day of days) yield* fill(day, ["missing", "stale", "old"])
    if (forgotten === today) return
    yield* index.forget({ before: today - (newsKeptDays + 1) * dayMs })
    forgotten = today
  })

  return Effect.fnUntraced(function*(from: number, now: number) {
    const today = Math.floor(now / dayMs) * dayMs
    const first = Math.floor(from / dayMs) * dayMs
    const before = new Map((yield* known(first, today + 1)).map((day) => [day.day, day]))
    const days = Array.from({ length: (today - first) / dayMs + 1 }, (_, i) => today - i * dayMs)
    const stands = (day: number) => dayState(day, before.get(day), now)
    const awaited = days.filter((day) => stands(day) === "missing" || stands(day) === "stale")
    const rest = days.filter((day) => stands(day) === "old")
    const notes: Array<string> = []
    for (const [i, day] of awaited.entries()) {
      if (i >= newestDays && (yield* Clock.currentTimeMillis) - now > waitMs) {
        rest.unshift(...awaited.slice(i))
        break
      }
      const exit = yield* Effect.exit(fill(day, ["missing", "stale"]))
      if (Exit.isSuccess(exit)) continue
      const since = before.get(day)
      if (since === undefined) return yield* Effect.failCause(exit.cause)
      notes.push(`The news feed does not answer: of later than ${instant(since.readAt)} nothing is known.`)
      rest.unshift(...awaited.slice(i + 1))
      break
    }
    if (!behind && (rest.length > 0 || forgotten !== today)) {
      behind = true
      yield* fillBehind(rest, today).pipe(
        // The next query tries again.
        Effect.ignore,
        Effect.ensuring(Effect.sync(() => void (behind = false))),
        Effect.forkIn(scope)
      )
    }
    const filled = yield* known(first, today + 1)
    const whole = filled.length === days.length
    if (!whole) {
      notes.push(
        `Of ${days.length} days asked for ${filled.length} are searched: the others are being read. Ask again soon.`
      )
    }
    return { days: filled, whole, notes } satisfies Filled
  })
})

/** The notes of a query that found nothing, or that has no searchable word. */
const emptyNotes = (unreadable: boolean): ReadonlyArray<string> => [
  unreadable
    ? "The question has no word to look for."
    : "Nothing was found: no article since then fits the question. Ask for longer ago, or in other words."
]

/** The error if nothing was found and not all days were searched. */
const reading = () =>
  Effect.fail(
    new SourceUnavailable({
      source: "news",
      failure: "filling",
      reason: "nothing was found in the days that have been read; the others are being read",
      retryable: true
    })
  )

const wordingsOf = ({ otherwise, query }: NewsQuery): ReadonlyArray<string> =>
  otherwise === undefined ? [query] : [query, otherwise]

/**
 * An article counts as near if its product with the question is at least this share of the nearest article's: how near
 * an article can be depends on the question's length.
 */
const nearShare = 0.55
/** For a narrow question, the minimum product is this share of the usual minimum. */
const narrowShare = 0.5

/**
 * A model that compares words finds an article only if it has more than this share of the question's words, by weight.
 * If the question names a subject, the article is about it anyway, and fewer of the words are enough.
 */
const [freeShare, boundShare] = [1 / 2, 1 / 3]

const nothing: Matching = { articles: 0, groups: [] }

/** Orders the articles of one wording by meaning and by words. */
const ordered = Effect.fnUntraced(function*(
  { embeddings: { concepts, embed, model, unrelatedBelow }, index }: Indexing,
  wording: string,
  { coin, from }: NewsQuery,
  { isBound, isNarrow }: Fitting,
  now: number
) {
  const terms = queryTermsOf(wording)
  const vector = wholeVector((yield* embed([wording]))[0]!)
  const filter = { model, from, to: now + 1, coin }
  const least = wholeProduct(isNarrow ? narrowShare * unrelatedBelow : unrelatedBelow)
  const [all, matching] = yield* Effect.all([
    vector.every((x) => x === 0) ? Effect.succeed([]) : index.nearest({ ...filter, vector, least, limit: listed }),
    terms.terms.length === 0
      ? Effect.succeed(nothing)
      : index.matching({ ...filter, terms: terms.terms, limit: listed })
  ], { concurrency: 2 })
  const unreadable = terms.terms.length === 0 && vector.every((x) => x === 0)
  const nearest = all[0]?.product ?? 0
  const near = all.filter(({ product }) => isNarrow || product >= nearShare * nearest)
  const matched = byWords(matching, terms, listed)
  if (concepts === undefined || isNarrow) return { unreadable, near, matched }
  const words = askedWords(wording, terms, concepts)
  const meant = conceptTerms(words)
  const [texts, having] = yield* Effect.all([
    index.articles({ model, ids: near.map(({ id }) => id) }),
    meant.length === 0 ? Effect.succeed(nothing) : index.matching({ ...filter, terms: meant, limit: 1 })
  ], { concurrency: 2 })
  const weights = conceptWeights(words, weightsOf(matching, terms), meant, having)
  const covers = covering(words, weights, isBound ? boundShare : freeShare, concepts)
  const isCovered = ({ id }: FoundArticle): boolean => {
    const text = texts.get(id)
    return text !== undefined && covers(text)
  }
  return { unreadable, near: near.filter(isCovered), matched }
})

/** Creates the search function of `NewsSearch`. */
export const makeSearch = Effect.fnUntraced(function*(parts: Indexing) {
  const { embeddings: { model }, feed, index } = parts
  const filled = yield* makeFilling(parts)

  const ranked = Effect.fnUntraced(function*(asked: NewsQuery, rule: Fitting, now: number) {
    const wordings = wordingsOf(asked)
    const orders = yield* Effect.forEach(wordings, (wording) => ordered(parts, wording, asked, rule, now))
    return {
      terms: queryTermsOf(wordings.toReversed().join(" ")),
      unreadable: orders.every(({ unreadable }) => unreadable),
      found: fused([
        byBestPlace(orders.map(({ near }) => near)),
        byBestPlace(orders.map(({ matched }) => matched))
      ])
    }
  })

  return Effect.fnUntraced(function*(asked: NewsQuery): Effect.fn.Return<NewsFound, MarketError | StoreUnavailable> {
    const now = yield* Clock.currentTimeMillis
    const { coin, top } = asked
    const from = Math.max(asked.from, now - newsKeptDays * dayMs)
    // Fails with `UnknownSymbol` for an unlisted coin.
    if (coin !== undefined) yield* feed.articles({ coin, from: now, to: now + 1, limit: 1 })
    const { days, notes, whole } = yield* filled(from, now)
    const rule = fitting(wordingsOf(asked), asked.companies)
    const { found, terms, unreadable } = yield* ranked({ ...asked, from }, rule, now)
    const texts = yield* index.articles({ model, ids: found.map(({ id }) => id) })
    const best = found.flatMap(({ id, score }) => {
      const text = texts.get(id)
      return text === undefined || !rule.fits(text) ? [] : [{ ...text, score }]
    })
    if (best.length === 0 && !whole && !unreadable) return yield* reading()
    const articles = best.slice(0, top).map(({ body, score, source, time, title, url }) => ({
      title: quoted(title),
      url,
      source: quoted(source, 64),
      time,
      score,
      snippet: snippetOf(body, terms)
    }))
    return {
      articles,
      asOf: Math.min(now, Math.max(...days.map(({ asOf }) => asOf))),
      sources: sourcesOf(days),
      notes: articles.length === 0 ? [...notes, ...emptyNotes(unreadable)] : notes
    }
  })
})
