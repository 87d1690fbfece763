import { minuteMs, priceLagMs, type PricePoint, type SourceUnavailable } from "@tapeline/core/market"
import { type MarketStore, pointsKinds } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { asked } from "./asking.ts"
import { fineMs } from "./candles.ts"

/** A price with its source. */
export interface StoredPrice extends PricePoint {
  readonly source: string
}

/** A sample that is newer than this is the price; a candle may know a later one than an older sample does. */
const freshMs = fineMs

/**
 * A candle's close is a price of the last of its five minutes, it is not known when: it is told as of the beginning of
 * that minute, so that it is newer than no sample of it, and the price of no closed minute.
 */
const closeAtMs = fineMs - minuteMs

/**
 * The newest price of each of some coins at or before an instant, at most `priceLagMs` older: a sample, or the close of
 * a candle where no sample is fresh (prices were not collected yet, or stood still).
 */
export const pricesAt = Effect.fnUntraced(function*(
  store: MarketStore["Service"],
  coins: ReadonlyArray<string>,
  time: number
): Effect.fn.Return<ReadonlyMap<string, StoredPrice>, SourceUnavailable> {
  const samples = yield* asked(
    store.latest({ kind: pointsKinds.prices, subjects: coins, at: time, withinMs: priceLagMs })
  )
  const found = new Map<string, StoredPrice>()
  const stale: Array<string> = []
  for (const coin of coins) {
    const point = samples.get(coin)?.point ?? null
    if (point !== null && point.price !== null) {
      found.set(coin, { time: point.time, price: point.price, source: point.source })
    }
    if ((found.get(coin)?.time ?? -Infinity) < time - freshMs) stale.push(coin)
  }
  if (stale.length === 0) return found
  const withinMs = priceLagMs - (fineMs - closeAtMs)
  const closes = yield* asked(
    store.latest({ kind: pointsKinds.candles, subjects: stale, at: time - fineMs, withinMs })
  )
  for (const [coin, { point }] of closes) {
    if (point === null || point.close === null) continue
    const closedAt = point.time + closeAtMs
    if (closedAt <= (found.get(coin)?.time ?? -Infinity)) continue
    found.set(coin, { time: closedAt, price: point.close, source: point.source })
  }
  return found
})
