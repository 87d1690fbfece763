import { Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { getPrice } from "./getPrice.ts"

export const handler = handlerOf(
  getPrice,
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    return Effect.fnUntraced(function*({ coin }) {
      const reading = yield* prices.ticker(coin)
      const ticker = reading.value
      const notes: Array<string> = []
      if (ticker.change24hPct === null) notes.push("change_24h_pct is null: the price of 24 hours ago is unknown.")
      const incompleteFields: Array<string> = []
      if (ticker.volume24hUsd === null) incompleteFields.push("volume_24h_usd")
      if (ticker.high24h === null) incompleteFields.push("high_24h")
      if (ticker.low24h === null) incompleteFields.push("low_24h")
      if (incompleteFields.length > 0) {
        notes.push(`Null because the last 24 hours were not recorded completely: ${incompleteFields.join(", ")}.`)
      }
      if (ticker.marketCapUsd === null) notes.push("market_cap_usd is null: the circulating supply is unknown.")
      return {
        coin,
        price: ticker.price,
        change_24h_pct: ticker.change24hPct,
        volume_24h_usd: ticker.volume24hUsd,
        market_cap_usd: ticker.marketCapUsd,
        high_24h: ticker.high24h,
        low_24h: ticker.low24h,
        notes,
        ...provenanceOf(reading)
      }
    })
  })
)
