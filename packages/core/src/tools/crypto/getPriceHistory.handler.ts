import { Clock, Effect } from "effect"
import { holesIn } from "../../market/candle.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { durationMs } from "../../market/timeframe.ts"
import { counted } from "../../text/counted.ts"
import { handlerOf } from "../../tool/implement.ts"
import { candleRows, provenanceOf } from "../../tool/result.ts"
import { getPriceHistory } from "./getPriceHistory.ts"

/**
 * On the hour a source that lags has neither the interval that begins nor the whole one that ended: `bars` count from
 * the newest that is recorded, up to so many earlier.
 */
const lagging = 2

export const handler = handlerOf(
  getPriceHistory,
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    return Effect.fnUntraced(function*({ bars, coin, tf }) {
      const until = yield* Clock.currentTimeMillis
      const read = yield* prices.candles({ coin, timeframe: tf, bars: bars + lagging, until })
      const oldest = (read.value.at(-1)?.time ?? 0) - (bars - 1) * durationMs[tf]
      const candles = read.value.filter(({ time }) => time >= oldest)
      const holes = holesIn(candles, durationMs[tf])
      const notes: Array<string> = []
      if (holes > 0) {
        notes.push(
          holes === 1
            ? "1 candle between these was not recorded and is left out."
            : `${holes} candles between these were not recorded and are left out.`
        )
      }
      if (candles.length + holes < bars) {
        notes.push(
          `Only ${candles.length} of ${counted(bars, "candle")} ${
            candles.length === 1 ? "exists" : "exist"
          }: the others were before its history, or not recorded.`
        )
      }
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
