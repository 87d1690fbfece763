import { Effect } from "effect"
import { readAdjustedHistory } from "../../analysis/equities/adjustedHistory.ts"
import { findStockByName, type FoundStock } from "../../analysis/equities/findStock.ts"
import { makeHistoryNotes } from "../../analysis/equities/resultRows.ts"
import { type ClosedBars, readClosedBars } from "../../analysis/signals/closedBars.ts"
import type { ToolFailure } from "../../engine/tool/failure.ts"
import type { Candle } from "../../market/candle.ts"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import type { EquityMarkets } from "../../market/EquityMarkets.ts"
import { type MarketError, NoData } from "../../market/errors.ts"
import type { Reading } from "../../market/reading.ts"
import { durationMs, type Timeframe } from "../../market/timeframe.ts"
import { indicatorBars, readIndicatorCandles } from "../crypto/indicatorCandles.ts"
import { levelBars } from "../crypto/levelRows.ts"
import { readPriceHistory } from "../crypto/priceHistory.ts"
import type { stockTimeframes } from "./makeChart.ts"

/** The candles of a chart: the shown candles, and the candles that the indicators use. */
export interface ChartBars {
  readonly coin: string | null
  readonly symbol: string | null
  readonly name: string
  readonly currency: "USD" | "KRW"
  readonly tf: Timeframe
  readonly shownCandles: ReadonlyArray<Candle>
  readonly reading: Reading<unknown>
  readonly notes: ReadonlyArray<string>
  /** The closed candles from which averages are computed, as in the indicator tools. */
  readonly closed: Effect.Effect<ClosedBars, MarketError>
  readonly closedForLevels: Effect.Effect<ClosedBars, MarketError>
  /**
   * Returns the index of the chart bar for the time of a candle in `closed`, or undefined if the chart does not show
   * the candle.
   */
  readonly barIndexAt: (time: number) => number | undefined
}

export const readCoinBars = Effect.fnUntraced(function*(
  prices: CoinPrices["Service"],
  { bars, coin, tf }: { readonly coin: string; readonly tf: Timeframe; readonly bars: number }
): Effect.fn.Return<ChartBars, MarketError> {
  const { candles, notes, reading } = yield* readPriceHistory(prices, { coin, tf, bars })
  const { value: { name } } = yield* prices.coin(coin)
  const rows = new Map(candles.map(({ time }, i) => [time, i]))
  return {
    coin,
    symbol: null,
    name,
    currency: "USD",
    tf,
    shownCandles: candles,
    reading,
    notes,
    closed: yield* Effect.cached(readIndicatorCandles(prices, coin, tf)),
    closedForLevels: yield* Effect.cached(readClosedBars(prices, coin, tf, levelBars)),
    barIndexAt: (time) => rows.get(time)
  }
})

/** Gives a stock's candles consecutive times, without nights and weekends, so that indicators see no gaps. */
const withConsecutiveTimes = (
  candles: ReadonlyArray<Candle>,
  tf: Timeframe,
  { asOf, sources }: Reading<unknown>
): ClosedBars => ({
  candles: candles.map((candle, i) => ({ ...candle, time: i * durationMs[tf] })),
  tf,
  end: asOf,
  delistedAt: null,
  isLate: false,
  sources
})

export const readStockBars = Effect.fnUntraced(function*(
  equities: EquityMarkets["Service"],
  { bars, symbol: requestedSymbol, tf }: {
    readonly symbol: string
    readonly tf: (typeof stockTimeframes)[number]
    readonly bars: number
  }
): Effect.fn.Return<ChartBars, MarketError | ToolFailure> {
  const { notes, stock } = yield* equities.stock(requestedSymbol).pipe(
    Effect.map(({ value }): FoundStock => ({ stock: value, notes: [] })),
    Effect.catchTag("UnknownSymbol", () => findStockByName(equities, requestedSymbol))
  )
  const { currency, koreanName, name, symbol } = stock
  const reading = yield* readAdjustedHistory(
    equities,
    { symbol, timeframe: tf, bars: bars + indicatorBars },
    "splits"
  )
  const { candles } = reading.value
  const shownCandles = candles.slice(-bars)
  if (shownCandles.length === 0) {
    return yield* new NoData({
      subject: `${symbol} ${tf} candles`,
      reason: { key: "none_closed", params: { symbol, timeframe: tf } }
    })
  }
  const closedCandles = candles.filter((candle) => candle.closed)
  const toClosedBars = (from: ReadonlyArray<Candle>): Effect.Effect<ClosedBars, MarketError> =>
    from.length > 0 ? Effect.succeed(withConsecutiveTimes(from, tf, reading)) : Effect.fail(
      new NoData({
        subject: `${symbol} ${tf} candles`,
        reason: { key: "none_closed", params: { symbol, timeframe: tf } }
      })
    )
  return {
    coin: null,
    symbol,
    name: koreanName === null || koreanName === name ? name : `${name} ${koreanName}`,
    currency,
    tf,
    shownCandles,
    reading,
    notes: [...notes, ...makeHistoryNotes({ ...reading.value, candles: shownCandles }, bars, stock)],
    closed: toClosedBars(closedCandles),
    closedForLevels: toClosedBars(closedCandles.slice(-levelBars)),
    barIndexAt: (time) => {
      const bar = time / durationMs[tf] - (candles.length - shownCandles.length)
      return bar >= 0 ? bar : undefined
    }
  }
})
