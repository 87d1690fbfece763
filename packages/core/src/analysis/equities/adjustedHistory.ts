import { Effect } from "effect"
import { type Candle, mergeCandles } from "../../market/candle.ts"
import type { EquityHistory, Split } from "../../market/equity.ts"
import type { EquityMarkets } from "../../market/EquityMarkets.ts"
import { mapReading, type MarketRead } from "../../market/reading.ts"
import { type EquityTimeframe, weekMs } from "../../market/timeframe.ts"
import type { Adjustment } from "./adjustments.ts"

const getSharesSince = (splits: ReadonlyArray<Split>, time: number): number =>
  splits.reduce((shares, split) => split.time > time ? shares * split.ratio : shares, 1)

const toPresentShares = (candle: Candle, shares: number): Candle =>
  shares === 1 ? candle : {
    ...candle,
    open: candle.open / shares,
    high: candle.high / shares,
    low: candle.low / shares,
    close: candle.close / shares,
    volume: candle.volume * shares,
    takerBuyVolume: candle.takerBuyVolume === null ? null : candle.takerBuyVolume * shares
  }

interface HistoryQuery {
  readonly symbol: string
  readonly timeframe: EquityTimeframe
  readonly bars: number
}

/**
 * Reads a stock's candles and adjusts the candles for splits. A weekly candle that contains a split is computed from
 * daily candles.
 */
const readSplitAdjusted = Effect.fnUntraced(function*(equities: EquityMarkets["Service"], query: HistoryQuery) {
  const read = yield* equities.history({ ...query, adjusted: false })
  const { candles, splits } = read.value
  const adjusted: Array<Candle> = []
  for (const candle of candles) {
    const isSplitDuringWeek = query.timeframe === "1w" &&
      splits.some(({ time }) => time > candle.time && time < candle.time + weekMs)
    if (!isSplitDuringWeek) {
      adjusted.push(toPresentShares(candle, getSharesSince(splits, candle.time)))
      continue
    }
    const { value: daily } = yield* equities.history({
      symbol: query.symbol,
      timeframe: "1d",
      // A week has at most seven sessions. The filter below omits sessions that belong to a later weekly candle.
      bars: 7,
      until: candle.time + weekMs - 1,
      adjusted: false
    })
    const [first, ...rest] = daily.candles
      .filter(({ time }) => time >= candle.time && !isInLaterCandle(candles, candle, time))
      .map((day) => toPresentShares(day, getSharesSince(splits, day.time)))
    adjusted.push(first === undefined ? candle : mergeCandles(candle.time, [first, ...rest], candle.closed))
  }
  return mapReading(read, (history): EquityHistory => ({ ...history, candles: adjusted, adjusted: false }))
})

const isInLaterCandle = (candles: ReadonlyArray<Candle>, { time: weekStart }: Candle, time: number): boolean =>
  candles.some((candle) => candle.time > weekStart && candle.time <= time)

/** Reads at most the last `bars` candles of a stock with the requested adjustment. */
export const readAdjustedHistory = (
  equities: EquityMarkets["Service"],
  query: HistoryQuery,
  adjustment: Adjustment
): MarketRead<EquityHistory> =>
  adjustment === "splits"
    ? readSplitAdjusted(equities, query)
    : equities.history({ ...query, adjusted: adjustment === "all" })
