import { Clock, Effect } from "effect"
import { MarketStore } from "../../market/MarketStore.ts"
import { minuteMs } from "../../market/timeframe.ts"
import { handlerOf } from "../../tool/implement.ts"
import { instant } from "../../tool/result.ts"
import { getPriceAt } from "./getPriceAt.ts"

export const handler = handlerOf(
  getPriceAt,
  Effect.gen(function*() {
    const market = yield* MarketStore
    return Effect.fnUntraced(function*({ coin, minutes_ago }) {
      // One reading of the clock, so that 0 minutes ago is now and changes by exactly 0.
      const time = yield* Clock.currentTimeMillis
      const then = yield* market.priceAt({ coin, time: time - minutes_ago * minuteMs })
      const now = yield* market.priceAt({ coin, time })
      return {
        coin,
        minutes_ago,
        time: instant(then.time),
        price: then.price,
        price_now: now.price,
        change_pct: (now.price / then.price - 1) * 100,
        as_of: instant(now.time),
        source: market.source
      }
    })
  })
)
