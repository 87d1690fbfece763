import { Clock, Effect } from "effect"
import type { Candle } from "../../market/candle.ts"
import { type MarketError, NoData } from "../../market/errors.ts"
import type { Coin } from "../../market/instrument.ts"
import type { MarketRead } from "../../market/reading.ts"
import type { Interval } from "../../market/series.ts"
import { bucketStart, durationMs, type Timeframe } from "../../market/timeframe.ts"
import { closedOnly } from "./columns.ts"
import { lagMs } from "./lag.ts"
import { orEmpty } from "./readings.ts"

/** When a candle opened, what it closed with, and whether it is over. */
export type Close = Pick<Candle, "time" | "close" | "closed">

/** What of `CoinPrices` closed candles are read from, or of who has no more of them than their closes. */
export interface BarSource<Bar extends Close> {
  readonly coin: (coin: string) => MarketRead<Coin>
  readonly candleRange: (
    query: { readonly coin: string; readonly timeframe: Timeframe } & Interval
  ) => MarketRead<ReadonlyArray<Bar>>
}

/** Closed candles that something is measured over. */
export interface ClosedBars<Bar extends Close = Candle> {
  /** Oldest first, at least one. Those that were not recorded are missing. */
  readonly candles: ReadonlyArray<Bar>
  readonly tf: Timeframe
  /** When the newest ended, epoch ms: with its interval, or with the coin's market. */
  readonly end: number
  /** When the coin's market ended, where it has. */
  readonly diedAt: number | null
  /** True where the newest is older than is waited for. */
  readonly late: boolean
  readonly sources: ReadonlyArray<string>
}

/**
 * The closed candles in the `bars` intervals that end with the newest one: as many however late it is asked for, of a
 * coin that has died those before its end, while a source lags those before what it has not recorded yet.
 */
export const readClosedBars = Effect.fnUntraced(function*<Bar extends Close>(
  prices: BarSource<Bar>,
  coin: string,
  tf: Timeframe,
  bars: number
): Effect.fn.Return<ClosedBars<Bar>, MarketError> {
  const length = durationMs[tf]
  const now = yield* Clock.currentTimeMillis
  const { delistedAt } = (yield* prices.coin(coin)).value
  const diedAt = delistedAt !== null && delistedAt <= now ? delistedAt : null
  const to = diedAt === null ? bucketStart(tf, now) : bucketStart(tf, diedAt - 1) + length
  const before = (until: number) =>
    orEmpty(prices.candleRange({ coin, timeframe: tf, from: until - bars * length, to: until }))
  const found = yield* before(to)
  const next = (closedOnly(found.value).at(-1)?.time ?? to - length) + length
  const { sources, value } = next < to ? yield* before(next) : found
  const candles = closedOnly(value)
  if (candles.length === 0) {
    return yield* new NoData({
      subject: `${coin} ${tf} candles`,
      reason: { key: "none_closed", params: { symbol: coin, timeframe: tf } }
    })
  }
  const end = Math.min(next, diedAt ?? Infinity)
  return { candles, tf, end, diedAt, late: diedAt === null && now - (end + length) >= lagMs, sources }
})
