import { Effect } from "effect"
import { findStock } from "../../analysis/equities/findStock.ts"
import { counted } from "../../engine/text/counted.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { getKrDisclosures } from "./getKrDisclosures.ts"

export const handler = handlerOf(
  getKrDisclosures,
  Effect.gen(function*() {
    const equities = yield* EquityMarkets
    return Effect.fnUntraced(function*({ symbol: asked, top }) {
      const next = (symbol: string) => equities.filings({ symbol, limit: top })
      const from = { country: "KR", instead: "get_us_stock", next } as const
      const found = asked === undefined ? undefined : yield* findStock(equities, asked, from)
      const symbol = found?.stock.symbol
      const read = yield* equities.filings({ ...(symbol === undefined ? {} : { symbol }), limit: top })
      const filings = read.value.toReversed()
      const notes = [...(found?.notes ?? [])]
      if (filings.length < top) notes.push(`No more than ${counted(filings.length, "filing")} known.`)
      if (filings.some(({ time }) => time === null)) {
        notes.push("time is null where the source gives the date alone.")
      }
      return {
        symbol: symbol ?? null,
        filings: filings.map(({ company, date, kind, symbol, time, title, url }) => ({
          date,
          time: time === null ? null : instant(time),
          symbol,
          company,
          title,
          url,
          kind
        })),
        notes,
        ...provenanceOf(read)
      }
    })
  })
)
