import { Clock, Effect } from "effect"
import { articlesAbout } from "../../analysis/news/aboutInstrument.ts"
import { articleRow } from "../../analysis/news/articleRow.ts"
import { judged } from "../../analysis/news/tones.ts"
import { Compute } from "../../engine/compute/Compute.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import { NewsFeed } from "../../market/NewsFeed.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { dayMs } from "../../market/timeframe.ts"
import { getLatestNews } from "./getLatestNews.ts"

/**
 * The lengths of the first and the second search. The first is sufficient for most subjects; rare ones need the second.
 */
const [soon, long] = [3 * dayMs, 30 * dayMs]

export const handler = handlerOf(
  getLatestNews,
  Effect.gen(function*() {
    const feed = yield* NewsFeed
    const equities = yield* EquityMarkets
    const compute = yield* Compute
    return Effect.fnUntraced(function*({ at: _, top, ...about }) {
      const to = (yield* Clock.currentTimeMillis) + 1
      const look = (ms: number) => articlesAbout(feed, equities, about, { from: to - ms, to, limit: top })
      // The name of a stock may have to be fetched from a source, so this is done only once.
      const near = about.symbol === undefined ? yield* look(soon) : null
      const { notes, read, symbol } = near?.read.value.length === top ? near : yield* look(long)
      const articles = yield* judged(compute, read.value)
      return {
        coin: about.coin ?? null,
        symbol,
        articles: articles.toReversed().map(articleRow),
        notes: articles.length === 0 ? [...notes, "Nothing was published in the last 30 days."] : notes,
        ...provenanceOf(read)
      }
    })
  })
)
