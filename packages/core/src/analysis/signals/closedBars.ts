import { Clock, Effect } from "effect"
import type { Candle } from "../../market/candle.ts"
import { type MarketError, NoData } from "../../market/errors.ts"
import type { Coin } from "../../market/instrument.ts"
import type { MarketRead } from "../../market/reading.ts"
import type { Interval } from "../../market/series.ts"
import { bucketStart, durationMs, type Timeframe } from "../../market/timeframe.ts"
import { filterClosed } from "./candleColumns.ts"
import { maxLagMs, orEmptyList } from "./readings.ts"

export type ClosePoint = Pick<Candle, "time" | "close" | "closed">

/**
 * The methods of `CoinPrices` that read closed candles. A source whose bars contain only closes can also implement this
 * interface.
 */
export interface BarSource<Bar extends ClosePoint> {
  readonly coin: (coin: string) => MarketRead<Coin>
  readonly candleRange: (
    query: { readonly coin: string; readonly timeframe: Timeframe } & Interval
  ) => MarketRead<ReadonlyArray<Bar>>
}

/** The closed candles over which a tool or rule computes a value. */
export interface ClosedBars<Bar extends ClosePoint = Candle> {
  /** The recorded candles, oldest first; never empty. */
  readonly candles: ReadonlyArray<Bar>
  readonly tf: Timeframe
  /** The end of the newest candle's interval, or the time of delisting if that is earlier, in epoch ms. */
  readonly end: number
  /** The time at which the coin was delisted, in epoch ms; null if the coin trades. */
  readonly delistedAt: number | null
  /** Whether the next candle is overdue by at least `maxLagMs`; always false after a delisting. */
  readonly isLate: boolean
  readonly sources: ReadonlyArray<string>
}

/** Reads the closed candles of the last `bars` intervals up to the newest recorded candle. */
export const readClosedBars = Effect.fnUntraced(function*<Bar extends ClosePoint>(
  prices: BarSource<Bar>,
  coin: string,
  tf: Timeframe,
  bars: number
): Effect.fn.Return<ClosedBars<Bar>, MarketError> {
  const stepMs = durationMs[tf]
  const now = yield* Clock.currentTimeMillis
  const { delistedAt } = (yield* prices.coin(coin)).value
  const endedAt = delistedAt !== null && delistedAt <= now ? delistedAt : null
  const to = endedAt === null ? bucketStart(tf, now) : bucketStart(tf, endedAt - 1) + stepMs
  const readBefore = (until: number) =>
    orEmptyList(prices.candleRange({ coin, timeframe: tf, from: until - bars * stepMs, to: until }))
  const found = yield* readBefore(to)
  const newestEnd = (filterClosed(found.value).at(-1)?.time ?? to - stepMs) + stepMs
  const { sources, value } = newestEnd < to ? yield* readBefore(newestEnd) : found
  const candles = filterClosed(value)
  if (candles.length === 0) {
    return yield* new NoData({
      subject: `${coin} ${tf} candles`,
      reason: { key: "none_closed", params: { symbol: coin, timeframe: tf } }
    })
  }
  const end = Math.min(newestEnd, endedAt ?? Infinity)
  return {
    candles,
    tf,
    end,
    delistedAt: endedAt,
    isLate: endedAt === null && now - (end + stepMs) >= maxLagMs,
    sources
  }
})
