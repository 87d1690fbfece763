import { vwapBands } from "@tapeline/quant/indicators"
import { Clock, Effect } from "effect"
import type { Candle } from "../../market/candle.ts"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import { NoData } from "../../market/errors.ts"
import { mapReading, type MarketRead } from "../../market/reading.ts"
import { bucketStart, durationMs } from "../../market/timeframe.ts"
import type { VwapAnchor } from "./vocabulary.ts"

/** Candles that a session's VWAP is summed over: fewer than a thousand, so that who reads them can repeat it. */
export const vwapTimeframe: { readonly day: "5m"; readonly week: "15m"; readonly month: "1h" } = {
  day: "5m",
  week: "15m",
  month: "1h"
}

/** The volume-weighted average price of a session up to now. */
export interface SessionVwap {
  /** Opening instant of the session, epoch ms. */
  readonly from: number
  readonly vwap: number
  /** Volume-weighted standard deviation of the candles' typical prices about it. */
  readonly deviation: number
  /** The newest price in it. */
  readonly price: number
  readonly volume: number
  /** Candles in it, and those that were not recorded. */
  readonly n: number
  readonly holes: number
}

/** Opening instant of the session of an anchor that holds an instant. */
export const sessionStart = (anchor: VwapAnchor, now: number): number => {
  if (anchor !== "month") return bucketStart(anchor === "day" ? "1d" : "1w", now)
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
}

const summed = (from: number, candles: ReadonlyArray<Candle>, stepMs: number): SessionVwap => {
  const column = (of: (candle: Candle) => number) => Float64Array.from(candles, of)
  const { deviation, vwap } = vwapBands(
    column(({ high }) => high),
    column(({ low }) => low),
    column(({ close }) => close),
    column(({ volume }) => volume)
  )
  return {
    from,
    vwap: vwap.at(-1)!,
    deviation: deviation.at(-1)!,
    price: candles.at(-1)!.close,
    volume: candles.reduce((sum, { volume }) => sum + volume, 0),
    n: candles.length,
    holes: Math.round((candles.at(-1)!.time - from) / stepMs) + 1 - candles.length
  }
}

/** How many candles a session has at an instant, the running one included. */
export const barsOfSession = (anchor: VwapAnchor, at: number): number =>
  Math.floor((at - sessionStart(anchor, at)) / durationMs[vwapTimeframe[anchor]]) + 1

/** The session that holds an instant, of candles as they stood then; null where none of it is recorded. */
export const vwapOfSession = (candles: ReadonlyArray<Candle>, anchor: VwapAnchor, at: number): SessionVwap | null => {
  const from = sessionStart(anchor, at)
  const inside = candles.filter(({ time }) => time >= from)
  return inside.length === 0 ? null : summed(from, inside, durationMs[vwapTimeframe[anchor]])
}

/** A coin's VWAP since the session's opening, the running candle included; `NoData` where none of it is recorded. */
export const readSessionVwap = (
  prices: CoinPrices["Service"],
  coin: string,
  anchor: VwapAnchor
): MarketRead<SessionVwap> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const bars = barsOfSession(anchor, now)
    return Effect.flatMap(prices.candles({ coin, timeframe: vwapTimeframe[anchor], bars, until: now }), (read) => {
      const session = vwapOfSession(read.value, anchor, now)
      return session !== null
        ? Effect.succeed(mapReading(read, () => session))
        : Effect.fail(
          new NoData({ subject: `${coin} session`, reason: { key: "none_recorded", params: { symbol: coin } } })
        )
    })
  })
