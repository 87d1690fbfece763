import { Clock, Effect } from "effect"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import type { EquityCountry } from "../../market/instrument.ts"
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
    /** By their names more is found; where nobody is set up to tell them, articles are found without. */
    const listed = (country: EquityCountry) =>
      Effect.suspend(() => equities.stocks(country)).pipe(
        Effect.map(({ value }) => value),
        Effect.catchIf(
          (error) => error._tag === "SourceUnavailable" && error.failure === "not_configured",
          () => Effect.succeed([])
        )
      )
    const stocks = Effect.map(Effect.all([listed("KR"), listed("US")], { concurrency: 2 }), (read) => read.flat())
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
