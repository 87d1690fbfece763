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

/** The opening time and close of a candle, and whether it has closed. */
export type Close = Pick<Candle, "time" | "close" | "closed">

/** The part of `CoinPrices` from which closed candles are read, also for sources that have only closes. */
export interface BarSource<Bar extends Close> {
  readonly coin: (coin: string) => MarketRead<Coin>
  readonly candleRange: (
    query: { readonly coin: string; readonly timeframe: Timeframe } & Interval
  ) => MarketRead<ReadonlyArray<Bar>>
}

/** Closed candles over which a quantity is measured. */
export interface ClosedBars<Bar extends Close = Candle> {
  /** Oldest first, at least one. Candles that were not recorded are missing. */
  readonly candles: ReadonlyArray<Bar>
  readonly tf: Timeframe
  /** The end of the newest candle, epoch ms: the end of its interval, or of the coin's market. */
  readonly end: number
  /** When the coin was delisted. Null if it trades. */
  readonly diedAt: number | null
  /** Whether the newest candle is older than the permitted lag. */
  readonly late: boolean
  readonly sources: ReadonlyArray<string>
}

/**
 * Reads the closed candles in the `bars` intervals that end with the newest recorded one. The number of intervals does
 * not depend on the time of the call. For a delisted coin they end with its market. While a source lags, they end with
 * its last recorded candle.
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
