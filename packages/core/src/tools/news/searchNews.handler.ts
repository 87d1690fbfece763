import { Clock, Effect } from "effect"
import { webAddress } from "../../analysis/news/articleRow.ts"
import { NewsSearch } from "../../analysis/news/NewsSearch.ts"
import { inOtherNames } from "../../analysis/news/otherNames.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import type { EquityCountry } from "../../market/instrument.ts"
import { awayNote, orAway } from "../../market/orAway.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { hourMs } from "../../market/timeframe.ts"
import { searchNews } from "./searchNews.ts"

export const handler = handlerOf(
  searchNews,
  Effect.gen(function*() {
    const { search } = yield* NewsSearch
    const equities = yield* EquityMarkets
    /** The names of stocks improve a search. If they are unavailable, the search continues without them. */
    const listed = (country: EquityCountry) => Effect.suspend(() => orAway(equities.stocks(country)))
    const stocks = Effect.all([listed("KR"), listed("US")], { concurrency: 2 })
    return Effect.fnUntraced(function*({ coin, query, since_hours, top }) {
      const from = (yield* Clock.currentTimeMillis) - since_hours * hourMs
      const read = yield* stocks
      const listedStocks = read.flatMap(({ told }) => told?.value ?? [])
      const otherwise = inOtherNames(query, listedStocks)
      const companies = listedStocks.map(({ koreanName, name }) => koreanName === null ? [name] : [name, koreanName])
      // A missing configuration is permanent, so it gets no note.
      const away = read.flatMap((one) => one.away === null || one.away.failure === "not_configured" ? [] : one.away)
      const lacks = "companies were looked for by the names that you gave alone"
      const { articles, asOf, notes, sources } = yield* search({ query, otherwise, companies, coin, from, top })
      return {
        articles: articles.map(({ time, url, ...article }) => ({
          ...article,
          url: webAddress(url),
          time: instant(time)
        })),
        notes: [...notes, ...new Set(away.map((one) => awayNote(one, lacks)))],
        ...provenanceOf({ value: articles, asOf, sources })
      }
    })
  })
)
