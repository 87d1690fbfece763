import { Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { JournalStore } from "../../personal/journal/JournalStore.ts"
import { getWatchlist } from "./getWatchlist.ts"

export const handler = handlerOf(
  getWatchlist,
  Effect.gen(function*() {
    const [journal, prices] = yield* Effect.all([Effect.service(JournalStore), CoinPrices])
    return Effect.fnUntraced(function*(_, { principal }) {
      const { watchlist } = yield* journal.holdings(principal.account)
      const tickers = yield* prices.tickers
      const tickerByCoin = new Map(tickers.value.map((ticker) => [ticker.coin, ticker]))
      const unpricedCoins = watchlist.filter((coin) => !tickerByCoin.has(coin))
      return {
        coins: watchlist.map((coin) => ({
          coin,
          price: tickerByCoin.get(coin)?.price ?? null,
          change_24h_pct: tickerByCoin.get(coin)?.change24hPct ?? null
        })),
        notes: unpricedCoins.length === 0 ? [] : [`No price right now: ${unpricedCoins.join(", ")}.`],
        ...provenanceOf(tickers)
      }
    })
  })
)
