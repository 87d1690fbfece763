import { Effect } from "effect"
import { findStock } from "../../analysis/equities/findStock.ts"
import { formatCount } from "../../engine/text/formatting.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { getKrDisclosures } from "./getKrDisclosures.ts"

export const handler = handlerOf(
  getKrDisclosures,
  Effect.gen(function*() {
    const equities = yield* EquityMarkets
    return Effect.fnUntraced(function*({ symbol: requestedSymbol, top }) {
      const readForCountry = (symbol: string) => equities.filings({ symbol, limit: top })
      const lookupOptions = { country: "KR", otherTool: "get_us_stock", nextRead: readForCountry } as const
      const foundStock = requestedSymbol === undefined
        ? undefined
        : yield* findStock(equities, requestedSymbol, lookupOptions)
      const symbol = foundStock?.stock.symbol
      const reading = yield* equities.filings({ ...(symbol === undefined ? {} : { symbol }), limit: top })
      const filings = reading.value.toReversed()
      const notes = [...(foundStock?.notes ?? [])]
      if (filings.length < top) notes.push(`Only ${formatCount(filings.length, "filing")} known.`)
      if (filings.some(({ time }) => time === null)) {
        notes.push("time is null if the source reports only the date.")
      }
      return {
        symbol: symbol ?? null,
        filings: filings.map(({ company, date, kind, symbol, time, title, url }) => ({
          date,
          time: time === null ? null : formatInstant(time),
          symbol,
          company,
          title,
          url,
          kind
        })),
        notes,
        ...provenanceOf(reading)
      }
    })
  })
)
