import { Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { toCandleRows } from "../../market/resultRows.ts"
import { getPriceHistory } from "./getPriceHistory.ts"
import { readPriceHistory } from "./priceHistory.ts"

export const handler = handlerOf(
  getPriceHistory,
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    return Effect.fnUntraced(function*({ bars, coin, tf }) {
      const { candles, notes, reading } = yield* readPriceHistory(prices, { coin, tf, bars })
      return {
        coin,
        tf,
        candles: toCandleRows(candles),
        notes,
        ...provenanceOf(reading)
      }
    })
  })
)
