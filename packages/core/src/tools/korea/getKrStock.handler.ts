import { Effect } from "effect"
import { findStock, makeListedElsewhereError } from "../../analysis/equities/findStock.ts"
import { makeQuoteNotes, toQuoteRow } from "../../analysis/equities/resultRows.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import { koreanExchanges } from "../../market/instrument.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { getKrStock } from "./getKrStock.ts"

const lookupOptions = { country: "KR", otherTool: "get_us_stock" } as const

export const handler = handlerOf(
  getKrStock,
  Effect.gen(function*() {
    const equities = yield* EquityMarkets
    return Effect.fnUntraced(function*({ symbol }) {
      const foundStock = yield* findStock(equities, symbol, lookupOptions)
      const { koreanName, sharesOutstanding } = foundStock.stock
      const reading = yield* equities.quote(foundStock.stock.symbol)
      const quote = reading.value
      const exchange = koreanExchanges.find((candidate) => candidate === quote.exchange)
      if (exchange === undefined) return yield* makeListedElsewhereError(quote, lookupOptions)
      return {
        ...toQuoteRow(quote),
        name_ko: koreanName,
        exchange,
        price_krw: quote.price,
        turnover_krw: quote.turnover,
        market_cap_krw: quote.marketCap,
        shares_outstanding: sharesOutstanding,
        foreign_share_pct: quote.foreignSharePct,
        notes: [...foundStock.notes, ...makeQuoteNotes(quote, "krw")],
        ...provenanceOf(reading)
      }
    })
  })
)
