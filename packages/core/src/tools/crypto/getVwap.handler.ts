import { Effect } from "effect"
import { readSessionVwap, vwapTimeframe } from "../../analysis/signals/sessionVwap.ts"
import { formatCount } from "../../engine/text/formatting.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { level } from "../../engine/tool/rounding.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { getVwap } from "./getVwap.ts"

export const handler = handlerOf(
  getVwap,
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    return Effect.fnUntraced(function*({ anchor, coin }) {
      const reading = yield* readSessionVwap(prices, coin, anchor)
      const { deviation, from, missingBars, n, price, volume } = reading.value
      // The values are rounded as in the result, so that a reader can reproduce the bands.
      const [vwap, sd] = [level(reading.value.vwap), level(deviation)]
      const notes: Array<string> = []
      if (missingBars > 0) {
        notes.push(`${formatCount(missingBars, "candle")} not recorded: their trades are not included.`)
      }
      if (volume === 0) notes.push("Nothing was traded since the anchor, so vwap is a price without a weight.")
      return {
        coin,
        anchor,
        anchored_at: formatInstant(from),
        tf: vwapTimeframe[anchor],
        price,
        vwap,
        sd,
        bands: [1, 2, 3].map((k) => ({ sd: k, upper: vwap + k * sd, lower: vwap - k * sd })),
        distance_pct: 100 * (price / vwap - 1),
        distance_sd: sd > 0 ? (price - vwap) / sd : null,
        volume,
        n,
        notes,
        ...provenanceOf(reading)
      }
    })
  })
)
