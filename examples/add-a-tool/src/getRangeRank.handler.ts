import { implement, MarketStore, ToolFailure } from "@tapeline/core"
import { instant } from "@tapeline/core/tool"
import { Effect } from "effect"
import { getRangeRank } from "./getRangeRank.ts"

export const getRangeRankTool = implement(
  getRangeRank,
  Effect.gen(function*() {
    const market = yield* MarketStore
    return Effect.fnUntraced(function*({ bars, coin }) {
      const candles = yield* market.candles({ coin, timeframe: "1d", bars: bars + 1 })
      const ranges = candles.filter((candle) => candle.closed).map(({ high, low, open }) => ((high - low) / open) * 100)
      const last = ranges.pop()
      if (last === undefined) {
        return yield* new ToolFailure({ code: "no_data", says: `${coin} has no closed day yet`, retryable: false })
      }
      const enough = ranges.length >= 5
      return {
        coin,
        range_pct: last,
        rank_pct: enough ? (ranges.filter((range) => range < last).length / ranges.length) * 100 : null,
        notes: enough ? [] : ["rank_pct needs at least 5 earlier days"],
        as_of: instant(candles[candles.length - 1]!.time),
        source: market.source
      }
    })
  })
)
