import { Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { updateWatchlist } from "./updateWatchlist.ts"
import { makeJournalWriter, requireListed } from "./writeJournal.ts"

export const handler = handlerOf(
  updateWatchlist,
  Effect.gen(function*() {
    const [write, prices] = yield* Effect.all([makeJournalWriter, CoinPrices])
    return Effect.fnUntraced(function*({ add = [], remove = [] }, context) {
      yield* Effect.forEach(add, (coin) => requireListed(prices, coin), { discard: true })
      const { coins } = yield* write(context, { _tag: "Watch", add, remove }, "Watchlist")
      return { coins }
    })
  })
)
