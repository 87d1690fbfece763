import { Effect } from "effect"
import { MarketStore } from "../../market/MarketStore.ts"
import { handlerOf } from "../../tool/implement.ts"
import { instant } from "../../tool/result.ts"
import { getPrice } from "./getPrice.ts"

export const handler = handlerOf(
  getPrice,
  Effect.gen(function*() {
    const market = yield* MarketStore
    return Effect.fnUntraced(function*({ coin }) {
      const ticker = yield* market.ticker(coin)
      return {
        coin,
        price: ticker.price,
        change_24h_pct: ticker.change24hPct,
        volume_24h_usd: ticker.volume24hUsd,
        market_cap_usd: ticker.marketCapUsd,
        high_24h: ticker.high24h,
        low_24h: ticker.low24h,
        notes: ticker.change24hPct === null ? ["change_24h_pct is null: the coin is younger than 24 hours."] : [],
        as_of: instant(ticker.time),
        source: market.source
      }
    })
  })
)
