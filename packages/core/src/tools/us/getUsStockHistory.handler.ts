import { Effect } from "effect"
import { readAdjustedHistory } from "../../analysis/equities/adjustedHistory.ts"
import { findStock } from "../../analysis/equities/findStock.ts"
import { makeHistoryNotes, toHistoryRows } from "../../analysis/equities/resultRows.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { getUsStockHistory } from "./getUsStockHistory.ts"

export const handler = handlerOf(
  getUsStockHistory,
  Effect.gen(function*() {
    const equities = yield* EquityMarkets
    return Effect.fnUntraced(function*({ adjust, bars, symbol: requestedSymbol, tf }) {
      const { notes, stock } = yield* findStock(equities, requestedSymbol, {
        country: "US",
        otherTool: "get_kr_stock_history"
      })
      const { name, symbol } = stock
      const reading = yield* readAdjustedHistory(equities, { symbol, timeframe: tf, bars }, adjust)
      return {
        symbol,
        name,
        tf,
        adjusted: adjust,
        ...toHistoryRows(reading.value),
        notes: [...notes, ...makeHistoryNotes(reading.value, bars, stock)],
        ...provenanceOf(reading)
      }
    })
  })
)
