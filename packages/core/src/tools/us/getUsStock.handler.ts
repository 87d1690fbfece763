import { Effect } from "effect"
import { findStock, makeListedElsewhereError } from "../../analysis/equities/findStock.ts"
import { makeQuoteNotes, toQuoteRow } from "../../analysis/equities/resultRows.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import { usExchanges } from "../../market/instrument.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { getUsStock } from "./getUsStock.ts"

const lookupOptions = { country: "US", otherTool: "get_kr_stock" } as const

export const handler = handlerOf(
  getUsStock,
  Effect.gen(function*() {
    const equities = yield* EquityMarkets
    return Effect.fnUntraced(function*({ symbol }) {
      const foundStock = yield* findStock(equities, symbol, lookupOptions)
      const { sharesOutstanding } = foundStock.stock
      const reading = yield* equities.quote(foundStock.stock.symbol)
      const quote = reading.value
      const exchange = usExchanges.find((candidate) => candidate === quote.exchange)
      if (exchange === undefined) return yield* makeListedElsewhereError(quote, lookupOptions)
      return {
        ...toQuoteRow(quote),
        exchange,
        price: quote.price,
        turnover_usd: quote.turnover,
        market_cap_usd: quote.marketCap,
        shares_outstanding: sharesOutstanding,
        notes: [...foundStock.notes, ...makeQuoteNotes(quote, "usd")],
        ...provenanceOf(reading)
      }
    })
  })
)
