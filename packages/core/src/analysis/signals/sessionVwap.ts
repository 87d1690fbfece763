import { vwapBands } from "@tapeline/quant/indicators"
import { Clock, Effect } from "effect"
import type { Candle } from "../../market/candle.ts"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import { NoData } from "../../market/errors.ts"
import { mapReading, type MarketRead } from "../../market/reading.ts"
import { bucketStart, durationMs } from "../../market/timeframe.ts"
import type { VwapAnchor } from "./vocabulary.ts"

/** The timeframe of the candles for each VWAP session. A session has fewer than a thousand candles. */
export const vwapTimeframe: { readonly day: "5m"; readonly week: "15m"; readonly month: "1h" } = {
  day: "5m",
  week: "15m",
  month: "1h"
}

/** The volume-weighted average price of a session so far. */
export interface SessionVwap {
  /** The opening time of the session, in epoch ms. */
  readonly from: number
  readonly vwap: number
  /** The volume-weighted standard deviation of the candles' typical prices about the VWAP. */
  readonly deviation: number
  readonly price: number
  readonly volume: number
  /** The number of recorded candles. */
  readonly n: number
  readonly missingBars: number
}

/** Returns the opening time of the session that contains `now`. */
export const getSessionStart = (anchor: VwapAnchor, now: number): number => {
  if (anchor !== "month") return bucketStart(anchor === "day" ? "1d" : "1w", now)
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
}

const makeSessionVwap = (from: number, candles: ReadonlyArray<Candle>, stepMs: number): SessionVwap => {
  const column = (select: (candle: Candle) => number) => Float64Array.from(candles, select)
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
    missingBars: Math.round((candles.at(-1)!.time - from) / stepMs) + 1 - candles.length
  }
}

/** Returns the number of candles between a session's opening and a time. The count includes the running candle. */
export const countSessionBars = (anchor: VwapAnchor, at: number): number =>
  Math.floor((at - getSessionStart(anchor, at)) / durationMs[vwapTimeframe[anchor]]) + 1

/** Computes the VWAP of the session that contains `at`. Returns null if no candle of this session is recorded. */
export const computeSessionVwap = (
  candles: ReadonlyArray<Candle>,
  anchor: VwapAnchor,
  at: number
): SessionVwap | null => {
  const from = getSessionStart(anchor, at)
  const sessionCandles = candles.filter(({ time }) => time >= from)
  return sessionCandles.length === 0 ? null : makeSessionVwap(from, sessionCandles, durationMs[vwapTimeframe[anchor]])
}

/** Reads a coin's VWAP since the opening of the session. Fails with `NoData` if no candle is recorded. */
export const readSessionVwap = (
  prices: CoinPrices["Service"],
  coin: string,
  anchor: VwapAnchor
): MarketRead<SessionVwap> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const bars = countSessionBars(anchor, now)
    return Effect.flatMap(prices.candles({ coin, timeframe: vwapTimeframe[anchor], bars, until: now }), (read) => {
      const session = computeSessionVwap(read.value, anchor, now)
      return session !== null
        ? Effect.succeed(mapReading(read, () => session))
        : Effect.fail(
          new NoData({ subject: `${coin} session`, reason: { key: "none_recorded", params: { symbol: coin } } })
        )
    })
  })
