import { maxPriceAgeMs, minuteMs, type PricePoint, type SourceUnavailable } from "@tapeline/core/market"
import { type MarketStore, pointsKinds } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { fiveMinutesMs } from "./candles.ts"
import { withReadErrors } from "./storeReads.ts"

export interface StoredPrice extends PricePoint {
  readonly source: string
}

/**
 * The maximum age of a fresh price sample. If the newest sample is older, the close of a newer candle replaces the
 * sample.
 */
const freshSampleMs = fiveMinutesMs

/**
 * The assumed time of a candle's closing price, relative to the candle's start. The offset is one minute less than the
 * candle's length, so that a closing price never replaces a newer sample.
 */
const closeOffsetMs = fiveMinutesMs - minuteMs

/** Reads the newest price of each coin at or before a time, from a fresh sample or else from the close of a candle. */
export const readPricesAt = Effect.fnUntraced(function*(
  store: MarketStore["Service"],
  coins: ReadonlyArray<string>,
  time: number
): Effect.fn.Return<ReadonlyMap<string, StoredPrice>, SourceUnavailable> {
  const samples = yield* withReadErrors(
    store.latest({ kind: pointsKinds.prices, subjects: coins, at: time, withinMs: maxPriceAgeMs })
  )
  const found = new Map<string, StoredPrice>()
  const stale: Array<string> = []
  for (const coin of coins) {
    const point = samples.get(coin)?.point ?? null
    if (point !== null && point.price !== null) {
      found.set(coin, { time: point.time, price: point.price, source: point.source })
    }
    if ((found.get(coin)?.time ?? -Infinity) < time - freshSampleMs) stale.push(coin)
  }
  if (stale.length === 0) return found
  const withinMs = maxPriceAgeMs - (fiveMinutesMs - closeOffsetMs)
  const closes = yield* withReadErrors(
    store.latest({ kind: pointsKinds.candles, subjects: stale, at: time - fiveMinutesMs, withinMs })
  )
  for (const [coin, { point }] of closes) {
    if (point === null || point.close === null) continue
    const closedAt = point.time + closeOffsetMs
    if (closedAt <= (found.get(coin)?.time ?? -Infinity)) continue
    found.set(coin, { time: closedAt, price: point.close, source: point.source })
  }
  return found
})
