import { Effect } from "effect"
import { readAdjustedHistory } from "../../analysis/equities/adjustedHistory.ts"
import { findStock } from "../../analysis/equities/findStock.ts"
import { makeHistoryNotes, toHistoryRows } from "../../analysis/equities/resultRows.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { getKrStockHistory } from "./getKrStockHistory.ts"

export const handler = handlerOf(
  getKrStockHistory,
  Effect.gen(function*() {
    const equities = yield* EquityMarkets
    return Effect.fnUntraced(function*({ bars, symbol: requestedSymbol, tf }) {
      const { notes, stock } = yield* findStock(equities, requestedSymbol, {
        country: "KR",
        otherTool: "get_us_stock_history"
      })
      const { name, symbol } = stock
      const reading = yield* readAdjustedHistory(equities, { symbol, timeframe: tf, bars }, "splits")
      return {
        symbol,
        name,
        tf,
        adjusted: "splits" as const,
        ...toHistoryRows(reading.value),
        notes: [...notes, ...makeHistoryNotes(reading.value, bars, stock)],
        ...provenanceOf(reading)
      }
    })
  })
)
