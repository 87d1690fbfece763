import { Clock, Effect } from "effect"
import { toWebAddress } from "../../analysis/news/articleRows.ts"
import { translateCompanyNames } from "../../analysis/news/companyNameTranslation.ts"
import { NewsSearch } from "../../analysis/news/NewsSearch.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import type { EquityCountry } from "../../market/instrument.ts"
import { readOptional, unavailableNote } from "../../market/optionalRead.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { hourMs } from "../../market/timeframe.ts"
import { searchNews } from "./searchNews.ts"

export const handler = handlerOf(
  searchNews,
  Effect.gen(function*() {
    const { search } = yield* NewsSearch
    const equities = yield* EquityMarkets
    /** Reads the stocks of a country. The names of stocks improve a search, but the search also works without them. */
    const readStocks = (country: EquityCountry) => Effect.suspend(() => readOptional(equities.stocks(country)))
    const readAllStocks = Effect.all([readStocks("KR"), readStocks("US")], { concurrency: 2 })
    return Effect.fnUntraced(function*({ coin, query, since_hours, top }) {
      const from = (yield* Clock.currentTimeMillis) - since_hours * hourMs
      const stockReadings = yield* readAllStocks
      const listedStocks = stockReadings.flatMap(({ reading }) => reading?.value ?? [])
      const alternativeQueries = translateCompanyNames(query, listedStocks)
      const companies = listedStocks.map(({ koreanName, name }) => koreanName === null ? [name] : [name, koreanName])
      // A missing configuration gets no note, because it is permanent.
      const unavailableSources = stockReadings.flatMap((one) =>
        one.error === null || one.error.failure === "not_configured" ? [] : one.error
      )
      const consequence = "companies were searched only by the names in the query"
      const { articles, asOf, notes, sources } = yield* search({
        query,
        alternativeWording: alternativeQueries,
        companies,
        coin,
        from,
        top
      })
      return {
        articles: articles.map(({ time, url, ...article }) => ({
          ...article,
          url: toWebAddress(url),
          time: formatInstant(time)
        })),
        notes: [...notes, ...new Set(unavailableSources.map((one) => unavailableNote(one, consequence)))],
        ...provenanceOf({ value: articles, asOf, sources })
      }
    })
  })
)
