import { Clock, Effect } from "effect"
import { toArticleRow } from "../../analysis/news/articleRows.ts"
import { addTones } from "../../analysis/news/articleTones.ts"
import { findArticlesAbout } from "../../analysis/news/instrumentArticles.ts"
import { Compute } from "../../engine/compute/Compute.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import { NewsFeed } from "../../market/NewsFeed.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { dayMs } from "../../market/timeframe.ts"
import { getLatestNews } from "./getLatestNews.ts"

/**
 * The periods of the first and of the second search for articles, in ms. For most coins, the first search finds enough
 * articles.
 */
const [shortSearchMs, longSearchMs] = [3 * dayMs, 30 * dayMs]

export const handler = handlerOf(
  getLatestNews,
  Effect.gen(function*() {
    const feed = yield* NewsFeed
    const equities = yield* EquityMarkets
    const compute = yield* Compute
    return Effect.fnUntraced(function*({ at: _, top, ...instrument }) {
      const to = (yield* Clock.currentTimeMillis) + 1
      const searchWithin = (ms: number) =>
        findArticlesAbout(feed, equities, instrument, { from: to - ms, to, limit: top })
      // Finding the name of a stock may require an external request, so a stock is searched only once.
      const recentArticles = instrument.symbol === undefined ? yield* searchWithin(shortSearchMs) : null
      const { notes, read, symbol } = recentArticles?.read.value.length === top
        ? recentArticles
        : yield* searchWithin(longSearchMs)
      const articles = yield* addTones(compute, read.value)
      return {
        coin: instrument.coin ?? null,
        symbol,
        articles: articles.toReversed().map(toArticleRow),
        notes: articles.length === 0 ? [...notes, "Nothing was published in the last 30 days."] : notes,
        ...provenanceOf(read)
      }
    })
  })
)
