import { Clock, Effect } from "effect"
import { counted } from "../../engine/text/counted.ts"
import { type Candle, holesIn } from "../../market/candle.ts"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import type { MarketError } from "../../market/errors.ts"
import type { Reading } from "../../market/reading.ts"
import { durationMs, type Timeframe } from "../../market/timeframe.ts"

/**
 * The extra candles for a lagging source. When an interval ends, such a source has neither the new interval nor the
 * complete last one. The requested bars then end at the newest recorded one, up to this many earlier.
 */
const lagging = 2

/** Reads a coin's last candles, including the running one, with notes on missing candles. */
export const readPriceHistory: (
  prices: CoinPrices["Service"],
  query: { readonly coin: string; readonly tf: Timeframe; readonly bars: number }
) => Effect.Effect<
  {
    readonly candles: ReadonlyArray<Candle>
    readonly notes: ReadonlyArray<string>
    readonly read: Reading<ReadonlyArray<Candle>>
  },
  MarketError
> = Effect.fnUntraced(function*(prices, { bars, coin, tf }) {
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
  return { candles, notes, read }
})
