import { Clock, Effect } from "effect"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { minuteMs } from "../../market/timeframe.ts"
import { handlerOf } from "../../tool/implement.ts"
import { instant, provenanceOf, sourceOf } from "../../tool/result.ts"
import { getPriceAt } from "./getPriceAt.ts"

export const handler = handlerOf(
  getPriceAt,
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    return Effect.fnUntraced(function*({ coin, minutes_ago }) {
      // One reading of the clock, so that 0 minutes ago is now and changes by exactly 0.
      const time = yield* Clock.currentTimeMillis
      const then = yield* prices.priceAt({ coin, time: time - minutes_ago * minuteMs })
      const now = yield* prices.priceAt({ coin, time })
      return {
        coin,
        minutes_ago,
        time: instant(then.value.time),
        price: then.value.price,
        price_now: now.value.price,
        change_pct: (now.value.price / then.value.price - 1) * 100,
        ...provenanceOf(now),
        source: sourceOf(then, now)
      }
    })
  })
)
