import { Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { candleRows } from "../../market/candleRows.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { getPriceHistory } from "./getPriceHistory.ts"
import { readPriceHistory } from "./priceHistory.ts"

export const handler = handlerOf(
  getPriceHistory,
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    return Effect.fnUntraced(function*({ bars, coin, tf }) {
      const { candles, notes, read } = yield* readPriceHistory(prices, { coin, tf, bars })
      return {
        coin,
        tf,
        candles: candleRows(candles),
        notes,
        ...provenanceOf(read)
      }
    })
  })
)
