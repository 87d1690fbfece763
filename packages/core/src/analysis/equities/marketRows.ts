/** A country's stock market as rows of results. */
import { finiteOrNull, instant } from "../../engine/tool/result.ts"
import type { EquityMarketSummary, IndexQuote } from "../../market/equity.ts"

export const indexRow = ({ changePct, previousClose, time, value }: IndexQuote) => ({
  value,
  previous_close: previousClose,
  change_pct: changePct,
  time: instant(time)
})

export const namedIndexRow = (quote: IndexQuote) => ({ index: quote.index, name: quote.name, ...indexRow(quote) })

export const marketRow = ({ breadth, sectors, session, time }: EquityMarketSummary) => ({
  session,
  traded_at: instant(time),
  breadth: {
    ...breadth,
    advancing_pct: finiteOrNull((100 * breadth.advancing) / (breadth.advancing + breadth.declining))
  },
  sectors: sectors.map(({ changePct, sector }) => ({ sector, change_pct: changePct }))
})
