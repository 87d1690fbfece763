import { CoinPrices, implement, ToolFailure } from "@tapeline/core"
import { provenanceOf } from "@tapeline/core/market"
import { Effect } from "effect"
import { getRangeRank } from "./getRangeRank.ts"

export const getRangeRankTool = implement(
  getRangeRank,
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    return Effect.fnUntraced(function*({ bars, coin }) {
      const read = yield* prices.candles({ coin, timeframe: "1d", bars: bars + 1 })
      const ranges = read.value.filter((candle) => candle.closed).map(({ high, low, open }) =>
        ((high - low) / open) * 100
      )
      const last = ranges.pop()
      if (last === undefined) {
        return yield* new ToolFailure({
          code: "no_data",
          callerMessage: `${coin} has no closed day yet`,
          retryable: false
        })
      }
      const isEnough = ranges.length >= 5
      return {
        coin,
        range_pct: last,
        rank_pct: isEnough ? (ranges.filter((range) => range < last).length / ranges.length) * 100 : null,
        notes: isEnough ? [] : ["rank_pct needs at least 5 earlier days"],
        ...provenanceOf(read)
      }
    })
  })
)
