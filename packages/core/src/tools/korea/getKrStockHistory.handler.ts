import { Effect } from "effect"
import { adjustedHistory } from "../../analysis/equities/adjust.ts"
import { findStock } from "../../analysis/equities/findStock.ts"
import { historyNotes, historyRows } from "../../analysis/equities/historyRows.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { getKrStockHistory } from "./getKrStockHistory.ts"

export const handler = handlerOf(
  getKrStockHistory,
  Effect.gen(function*() {
    const equities = yield* EquityMarkets
    return Effect.fnUntraced(function*({ bars, symbol: asked, tf }) {
      const { notes, stock } = yield* findStock(equities, asked, { country: "KR", instead: "get_us_stock_history" })
      const { name, symbol } = stock
      const read = yield* adjustedHistory(equities, { symbol, timeframe: tf, bars }, "splits")
      return {
        symbol,
        name,
        tf,
        adjusted: "splits" as const,
        ...historyRows(read.value),
        notes: [...notes, ...historyNotes(read.value, bars, stock)],
        ...provenanceOf(read)
      }
    })
  })
)
