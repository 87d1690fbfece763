import { Clock, Effect } from "effect"
import { MarketStore } from "../../market/MarketStore.ts"
import { durationMs } from "../../market/timeframe.ts"
import { handlerOf } from "../../tool/implement.ts"
import { instant } from "../../tool/result.ts"
import { getPriceHistory } from "./getPriceHistory.ts"

export const handler = handlerOf(
  getPriceHistory,
  Effect.gen(function*() {
    const market = yield* MarketStore
    return Effect.fnUntraced(function*({ bars, coin, tf }) {
      const now = yield* Clock.currentTimeMillis
      const candles = yield* market.candles({ coin, timeframe: tf, bars, until: now })
      const last = candles[candles.length - 1]!
      const newest = last.closed ? last.time + durationMs[tf] : (yield* market.priceAt({ coin, time: now })).time
      return {
        coin,
        tf,
        candles: candles.map(({ close, closed, high, low, open, time, volume }) => ({
          time: instant(time),
          open,
          high,
          low,
          close,
          volume,
          ...(closed ? {} : { closed: false as const })
        })),
        notes: candles.length < bars
          ? [`Only ${candles.length} of ${bars} candles exist: the history begins here.`]
          : [],
        as_of: instant(newest),
        source: market.source
      }
    })
  })
)
