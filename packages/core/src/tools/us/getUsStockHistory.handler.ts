import { Effect } from "effect"
import { adjustedHistory } from "../../analysis/equities/adjust.ts"
import { findStock } from "../../analysis/equities/findStock.ts"
import { historyNotes, historyRows } from "../../analysis/equities/historyRows.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { getUsStockHistory } from "./getUsStockHistory.ts"

export const handler = handlerOf(
  getUsStockHistory,
  Effect.gen(function*() {
    const equities = yield* EquityMarkets
    return Effect.fnUntraced(function*({ adjust, bars, symbol: asked, tf }) {
      const { notes, stock } = yield* findStock(equities, asked, { country: "US", instead: "get_kr_stock_history" })
      const { name, symbol } = stock
      const read = yield* adjustedHistory(equities, { symbol, timeframe: tf, bars }, adjust)
      return {
        symbol,
        name,
        tf,
        adjusted: adjust,
        ...historyRows(read.value),
        notes: [...notes, ...historyNotes(read.value, bars, stock)],
        ...provenanceOf(read)
      }
    })
  })
)
