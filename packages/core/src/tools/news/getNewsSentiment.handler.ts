import { meanSentiment } from "@tapeline/quant/sentiment"
import { Clock, Effect } from "effect"
import { toHeadlineRow } from "../../analysis/news/articleRows.ts"
import { addTones, type ArticleWithTone } from "../../analysis/news/articleTones.ts"
import { findArticlesAbout } from "../../analysis/news/instrumentArticles.ts"
import { Compute } from "../../engine/compute/Compute.ts"
import { quoteText } from "../../engine/text/formatting.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import { NewsFeed } from "../../market/NewsFeed.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { hourMs } from "../../market/timeframe.ts"
import { getNewsSentiment } from "./getNewsSentiment.ts"

const maxArticles = 2_000
const [maxSources, maxLanguages, maxHeadlines] = [10, 20, 3]
/** The minimum absolute tone of an article that counts as positive or negative. */
const minTone = 0.1

interface ScoredArticle extends ArticleWithTone {
  readonly tone: number
}
const hasTone = (one: ArticleWithTone): one is ScoredArticle => one.tone !== null

/** Returns the mean tones of groups of articles, largest group first. */
const computeMeansBy = (
  articles: ReadonlyArray<ScoredArticle>,
  key: (one: ScoredArticle) => string,
  maxGroups: number
) =>
  [...Map.groupBy(articles, key)]
    .map(([name, group]) => ({ name, n: group.length, sentiment: meanSentiment(group.map(({ tone }) => tone)) ?? 0 }))
    .sort((a, b) => b.n - a.n || (a.name < b.name ? -1 : 1))
    .slice(0, maxGroups)

const computeChange = (articles: ReadonlyArray<ScoredArticle>, middle: number): number | null => {
  const meanTone = (group: ReadonlyArray<ScoredArticle>) => meanSentiment(group.map(({ tone }) => tone))
  const newer = meanTone(articles.filter(({ article }) => article.time >= middle))
  const older = meanTone(articles.filter(({ article }) => article.time < middle))
  return newer === null || older === null ? null : newer - older
}

const selectExtremes = (articles: ReadonlyArray<ScoredArticle>, side: 1 | -1) =>
  articles.filter(({ tone }) => side * tone > 0)
    .toSorted((a, b) => side * (b.tone - a.tone) || b.article.time - a.article.time)
    .slice(0, maxHeadlines)
    .map(toHeadlineRow)

export const handler = handlerOf(
  getNewsSentiment,
  Effect.gen(function*() {
    const feed = yield* NewsFeed
    const equities = yield* EquityMarkets
    const compute = yield* Compute
    return Effect.fnUntraced(function*({ at: _, hours, ...instrument }) {
      const now = yield* Clock.currentTimeMillis
      const searchInterval = { from: now - hours * hourMs, to: now + 1, limit: maxArticles }
      const { notes: searchNotes, read, symbol } = yield* findArticlesAbout(feed, equities, instrument, searchInterval)
      const isCut = read.value.length === maxArticles
      const from = isCut ? read.value[0]!.time : searchInterval.from
      const scoredArticles = (yield* addTones(compute, read.value)).filter(hasTone)
      const notes = [...searchNotes]
      if (isCut) notes.push(`Only the newest ${maxArticles} articles are counted, those since ${formatInstant(from)}.`)
      if (scoredArticles.length === 0) notes.push("sentiment is null: no article has a tone.")
      const change = computeChange(scoredArticles, (from + now) / 2)
      if (change === null) notes.push("change is null: one half of the period has no article with a tone.")
      return {
        coin: instrument.coin ?? null,
        symbol,
        from: formatInstant(from),
        sentiment: meanSentiment(scoredArticles.map(({ tone }) => tone)),
        n: scoredArticles.length,
        articles: read.value.length,
        n_by_words: scoredArticles.filter(({ isComputed }) => isComputed).length,
        positive: scoredArticles.filter(({ tone }) => tone >= minTone).length,
        negative: scoredArticles.filter(({ tone }) => tone <= -minTone).length,
        change,
        by_source: computeMeansBy(scoredArticles, ({ article }) => quoteText(article.source, 64), maxSources)
          .map(({ name, ...means }) => ({ source: name, ...means })),
        by_language: computeMeansBy(scoredArticles, ({ article }) => quoteText(article.language, 16), maxLanguages)
          .map(({ name, ...means }) => ({ language: name, ...means })),
        top_positive: selectExtremes(scoredArticles, 1),
        top_negative: selectExtremes(scoredArticles, -1),
        notes,
        ...provenanceOf(read)
      }
    })
  })
)
