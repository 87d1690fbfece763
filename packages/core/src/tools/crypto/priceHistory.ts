import { Clock, Effect } from "effect"
import { formatCount } from "../../engine/text/formatting.ts"
import { type Candle, countMissingCandles } from "../../market/candle.ts"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import type { MarketError } from "../../market/errors.ts"
import type { Reading } from "../../market/reading.ts"
import { durationMs, type Timeframe } from "../../market/timeframe.ts"

export const computeChangePct = (earlierPrice: number, currentPrice: number): number =>
  (currentPrice / earlierPrice - 1) * 100

/** The number of additional candles to read, because a source can lag behind by some candles. */
const lagCandles = 2

/** Reads a coin's last candles, including the running candle, with notes on missing candles. */
export const readPriceHistory: (
  prices: CoinPrices["Service"],
  query: { readonly coin: string; readonly tf: Timeframe; readonly bars: number }
) => Effect.Effect<
  {
    readonly candles: ReadonlyArray<Candle>
    readonly notes: ReadonlyArray<string>
    readonly reading: Reading<ReadonlyArray<Candle>>
  },
  MarketError
> = Effect.fnUntraced(function*(prices, { bars, coin, tf }) {
  const until = yield* Clock.currentTimeMillis
  const reading = yield* prices.candles({ coin, timeframe: tf, bars: bars + lagCandles, until })
  const oldest = (reading.value.at(-1)?.time ?? 0) - (bars - 1) * durationMs[tf]
  const candles = reading.value.filter(({ time }) => time >= oldest)
  const missingCount = countMissingCandles(candles, durationMs[tf])
  const notes: Array<string> = []
  if (missingCount > 0) {
    notes.push(
      missingCount === 1
        ? "1 candle within this period was not recorded and is missing."
        : `${missingCount} candles within this period were not recorded and are missing.`
    )
  }
  if (candles.length + missingCount < bars) {
    notes.push(
      `Only ${candles.length} of ${formatCount(bars, "candle")} ${
        candles.length === 1 ? "exists" : "exist"
      }: the others are older than the coin's history, or were not recorded.`
    )
  }
  return { candles, notes, reading: reading }
})
