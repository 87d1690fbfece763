import { meanSentiment } from "@tapeline/quant/sentiment"
import { Clock, Effect } from "effect"
import { articlesAbout } from "../../analysis/news/aboutInstrument.ts"
import { headlineRow } from "../../analysis/news/articleRow.ts"
import { type Judged, judged } from "../../analysis/news/tones.ts"
import { Compute } from "../../engine/compute/Compute.ts"
import { quoted } from "../../engine/text/quoted.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import { NewsFeed } from "../../market/NewsFeed.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { hourMs } from "../../market/timeframe.ts"
import { getNewsSentiment } from "./getNewsSentiment.ts"

const mostArticles = 2_000
const [sourcesTold, languagesTold, headlinesTold] = [10, 20, 3]
/** An article leans to a side if its tone is at least this. */
const leaning = 0.1

/** An article with a tone. */
interface Toned extends Judged {
  readonly tone: number
}
const isToned = (one: Judged): one is Toned => one.tone !== null

/** Returns the mean tones of groups, largest group first. */
const meansBy = (articles: ReadonlyArray<Toned>, key: (one: Toned) => string, most: number) =>
  [...Map.groupBy(articles, key)]
    .map(([name, own]) => ({ name, n: own.length, sentiment: meanSentiment(own.map(({ tone }) => tone)) ?? 0 }))
    .sort((a, b) => b.n - a.n || (a.name < b.name ? -1 : 1))
    .slice(0, most)

const changeOf = (articles: ReadonlyArray<Toned>, middle: number): number | null => {
  const mean = (some: ReadonlyArray<Toned>) => meanSentiment(some.map(({ tone }) => tone))
  const newer = mean(articles.filter(({ article }) => article.time >= middle))
  const older = mean(articles.filter(({ article }) => article.time < middle))
  return newer === null || older === null ? null : newer - older
}

const extremes = (articles: ReadonlyArray<Toned>, side: 1 | -1) =>
  articles.filter(({ tone }) => side * tone > 0)
    .toSorted((a, b) => side * (b.tone - a.tone) || b.article.time - a.article.time)
    .slice(0, headlinesTold)
    .map(headlineRow)

export const handler = handlerOf(
  getNewsSentiment,
  Effect.gen(function*() {
    const feed = yield* NewsFeed
    const equities = yield* EquityMarkets
    const compute = yield* Compute
    return Effect.fnUntraced(function*({ at: _, hours, ...about }) {
      const now = yield* Clock.currentTimeMillis
      const asked = { from: now - hours * hourMs, to: now + 1, limit: mostArticles }
      const { notes: said, read, symbol } = yield* articlesAbout(feed, equities, about, asked)
      const cut = read.value.length === mostArticles
      const from = cut ? read.value[0]!.time : asked.from
      const toned = (yield* judged(compute, read.value)).filter(isToned)
      const notes = [...said]
      if (cut) notes.push(`Only the newest ${mostArticles} articles are counted, those since ${instant(from)}.`)
      if (toned.length === 0) notes.push("sentiment is null: no article has a tone.")
      const change = changeOf(toned, (from + now) / 2)
      if (change === null) notes.push("change is null: one half of the time has no article with a tone.")
      return {
        coin: about.coin ?? null,
        symbol,
        from: instant(from),
        sentiment: meanSentiment(toned.map(({ tone }) => tone)),
        n: toned.length,
        articles: read.value.length,
        n_by_words: toned.filter(({ byWords }) => byWords).length,
        positive: toned.filter(({ tone }) => tone >= leaning).length,
        negative: toned.filter(({ tone }) => tone <= -leaning).length,
        change,
        by_source: meansBy(toned, ({ article }) => quoted(article.source, 64), sourcesTold)
          .map(({ name, ...means }) => ({ source: name, ...means })),
        by_language: meansBy(toned, ({ article }) => quoted(article.language, 16), languagesTold)
          .map(({ name, ...means }) => ({ language: name, ...means })),
        top_positive: extremes(toned, 1),
        top_negative: extremes(toned, -1),
        notes,
        ...provenanceOf(read)
      }
    })
  })
)
