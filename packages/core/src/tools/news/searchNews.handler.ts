import { Clock, Effect } from "effect"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import { hourMs } from "../../market/timeframe.ts"
import { webAddress } from "../../news/articleRow.ts"
import { NewsSearch } from "../../news/NewsSearch.ts"
import { inOtherNames } from "../../news/otherNames.ts"
import { handlerOf } from "../../tool/implement.ts"
import { instant, provenanceOf } from "../../tool/result.ts"
import { searchNews } from "./searchNews.ts"

export const handler = handlerOf(
  searchNews,
  Effect.gen(function*() {
    const { search } = yield* NewsSearch
    const equities = yield* EquityMarkets
    const stocks = Effect.suspend(() =>
      Effect.map(
        Effect.all([equities.stocks("KR"), equities.stocks("US")], { concurrency: 2 }),
        (read) => read.flatMap(({ value }) => value)
      )
    )
    return Effect.fnUntraced(function*({ coin, query, since_hours, top }) {
      const from = (yield* Clock.currentTimeMillis) - since_hours * hourMs
      const otherwise = inOtherNames(query, yield* stocks)
      const { articles, asOf, notes, sources } = yield* search({ query, otherwise, coin, from, top })
      return {
        articles: articles.map(({ time, url, ...article }) => ({
          ...article,
          url: webAddress(url),
          time: instant(time)
        })),
        notes,
        ...provenanceOf({ value: articles, asOf, sources })
      }
    })
  })
)
