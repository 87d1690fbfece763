import { Effect } from "effect"
import { findStock, listedElsewhere } from "../../analysis/equities/findStock.ts"
import { quoteNotes, quoteRow } from "../../analysis/equities/stockQuote.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import { usExchanges } from "../../market/instrument.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { getUsStock } from "./getUsStock.ts"

const from = { country: "US", instead: "get_kr_stock" } as const

export const handler = handlerOf(
  getUsStock,
  Effect.gen(function*() {
    const equities = yield* EquityMarkets
    return Effect.fnUntraced(function*({ symbol }) {
      const found = yield* findStock(equities, symbol, from)
      const { sharesOutstanding } = found.stock
      const read = yield* equities.quote(found.stock.symbol)
      const quote = read.value
      const exchange = usExchanges.find((one) => one === quote.exchange)
      if (exchange === undefined) return yield* listedElsewhere(quote, from)
      return {
        ...quoteRow(quote),
        exchange,
        price: quote.price,
        turnover_usd: quote.turnover,
        market_cap_usd: quote.marketCap,
        shares_outstanding: sharesOutstanding,
        notes: [...found.notes, ...quoteNotes(quote, "usd")],
        ...provenanceOf(read)
      }
    })
  })
)
