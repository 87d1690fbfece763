import { Effect } from "effect"
import { findStock, listedElsewhere } from "../../analysis/equities/findStock.ts"
import { quoteNotes, quoteRow } from "../../analysis/equities/stockQuote.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import { koreanExchanges } from "../../market/instrument.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { getKrStock } from "./getKrStock.ts"

const from = { country: "KR", instead: "get_us_stock" } as const

export const handler = handlerOf(
  getKrStock,
  Effect.gen(function*() {
    const equities = yield* EquityMarkets
    return Effect.fnUntraced(function*({ symbol }) {
      const found = yield* findStock(equities, symbol, from)
      const { koreanName, sharesOutstanding } = found.stock
      const read = yield* equities.quote(found.stock.symbol)
      const quote = read.value
      const exchange = koreanExchanges.find((one) => one === quote.exchange)
      if (exchange === undefined) return yield* listedElsewhere(quote, from)
      return {
        ...quoteRow(quote),
        name_ko: koreanName,
        exchange,
        price_krw: quote.price,
        turnover_krw: quote.turnover,
        market_cap_krw: quote.marketCap,
        shares_outstanding: sharesOutstanding,
        foreign_share_pct: quote.foreignSharePct,
        notes: [...found.notes, ...quoteNotes(quote, "krw")],
        ...provenanceOf(read)
      }
    })
  })
)
