/**
 * Candles of a stock through splits and dividends.
 */
import { Effect } from "effect"
import { addUp, type Candle } from "../../market/candle.ts"
import type { EquityHistory, Split } from "../../market/equity.ts"
import type { EquityMarkets } from "../../market/EquityMarkets.ts"
import { mapReading, type MarketRead } from "../../market/reading.ts"
import { type EquityTimeframe, weekMs } from "../../market/timeframe.ts"
import type { Adjustment } from "./adjustments.ts"

/** Shares of now for one share of an instant. */
const sharesSince = (splits: ReadonlyArray<Split>, time: number): number =>
  splits.reduce((shares, split) => split.time > time ? shares * split.ratio : shares, 1)

/** A candle as traded, in shares of now. */
const inShares = (candle: Candle, shares: number): Candle =>
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

/** Candles as traded in shares of now. A week in which the stock was split is added up from its days. */
const splitAdjusted = Effect.fnUntraced(function*(equities: EquityMarkets["Service"], query: HistoryQuery) {
  const read = yield* equities.history({ ...query, adjusted: false })
  const { candles, splits } = read.value
  const adjusted: Array<Candle> = []
  for (const candle of candles) {
    const within = query.timeframe === "1w" &&
      splits.some(({ time }) => time > candle.time && time < candle.time + weekMs)
    if (!within) {
      adjusted.push(inShares(candle, sharesSince(splits, candle.time)))
      continue
    }
    const { value: daily } = yield* equities.history({
      symbol: query.symbol,
      timeframe: "1d",
      // A week has at most seven sessions, and next week's first is left out.
      bars: 7,
      until: candle.time + weekMs - 1,
      adjusted: false
    })
    const [first, ...rest] = daily.candles
      .filter(({ time }) => time >= candle.time && !nextWeek(candles, candle, time))
      .map((day) => inShares(day, sharesSince(splits, day.time)))
    adjusted.push(first === undefined ? candle : addUp(candle.time, [first, ...rest], candle.closed))
  }
  return mapReading(read, (history): EquityHistory => ({ ...history, candles: adjusted, adjusted: false }))
})

/** True for an instant of a later candle of the series. */
const nextWeek = (candles: ReadonlyArray<Candle>, { time: week }: Candle, time: number): boolean =>
  candles.some((candle) => candle.time > week && candle.time <= time)

/** At most the last `bars` candles of a stock, adjusted as asked. */
export const adjustedHistory = (
  equities: EquityMarkets["Service"],
  query: HistoryQuery,
  adjust: Adjustment
): MarketRead<EquityHistory> =>
  adjust === "splits" ? splitAdjusted(equities, query) : equities.history({ ...query, adjusted: adjust === "all" })
