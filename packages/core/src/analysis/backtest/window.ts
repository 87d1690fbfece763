import {
  backtest,
  type BacktestResult,
  type BacktestSummary,
  type BacktestTrade,
  buyAndHold,
  conditionHolds,
  equityReturns,
  fundingPerBar,
  operandSource,
  type Strategy,
  strategySignals,
  summarise,
  type SummarisedBacktest
} from "@tapeline/quant/backtest"
import { Schema } from "effect"
import { Column } from "../../engine/compute/job.ts"
import { dayMs } from "../../market/timeframe.ts"

/** The maximum number of bars before a window that warm up the window's indicators. */
export const warmUpBars = 1_000

/** The market data of a backtest job, as one array per field. Bars that were not recorded are omitted. */
export const BacktestMarket = Schema.Struct({
  time: Column,
  open: Column,
  high: Column,
  low: Column,
  close: Column,
  volume: Column,
  stepMs: Schema.Finite,
  /** The index of the first traded bar. Earlier bars only warm up the indicators. */
  first: Schema.Int,
  /**
   * The times of the funding payments, in epoch ms. `paid` contains the fraction of the notional that a long position
   * pays at each time.
   */
  paidAt: Column,
  paid: Column,
  /**
   * The funding rate that is known at the close of each bar, or NaN if unknown. `funding` is absent if no strategy uses
   * funding.
   */
  funding: Schema.optionalKey(Column),
  open_interest: Schema.optionalKey(Column),
  score: Schema.optionalKey(Column)
})
export type BacktestMarket = typeof BacktestMarket.Type

export const Costs = Schema.Struct({ feeBps: Schema.Finite, slippageBps: Schema.Finite })
export type Costs = typeof Costs.Type

export const barsPerYear = (stepMs: number): number => 365 * dayMs / stepMs

export interface ConditionCounts {
  readonly entry: ReadonlyArray<number>
  readonly exit: ReadonlyArray<number>
}

export interface BacktestWindow {
  readonly time: Float64Array
  readonly runStrategy: (strategy: Strategy) => BacktestResult
  readonly runBuyAndHold: () => BacktestResult
  readonly countConditionBars: (strategy: Strategy) => ConditionCounts
  readonly summarise: (result: SummarisedBacktest) => BacktestSummary
}

/**
 * Creates a backtest window of the bars `[from, to)` of a market. Every strategy starts the window without a position
 * and pays the same costs. Indicators warm up on at most `warmUpBars` bars before the window, so a longer market
 * history does not change the trades.
 */
export const makeWindow = (market: BacktestMarket, costs: Costs, from: number, to: number): BacktestWindow => {
  const start = Math.max(0, from - warmUpBars)
  const warmUpCount = from - start
  const sliceWithWarmUp = (x: Float64Array | undefined) => x?.subarray(start, to)
  const barsWithWarmUp = {
    open: market.open.subarray(start, to),
    high: market.high.subarray(start, to),
    low: market.low.subarray(start, to),
    close: market.close.subarray(start, to),
    volume: market.volume.subarray(start, to),
    session: market.time.subarray(start, to).map((time) => Math.floor(time / dayMs)),
    funding: sliceWithWarmUp(market.funding),
    open_interest: sliceWithWarmUp(market.open_interest),
    score: sliceWithWarmUp(market.score)
  }
  const time = market.time.subarray(from, to)
  const bars = {
    open: market.open.subarray(from, to),
    high: market.high.subarray(from, to),
    low: market.low.subarray(from, to),
    close: market.close.subarray(from, to)
  }
  const series = operandSource(barsWithWarmUp)
  // The end of the last bar is included, so that the last bar is charged the funding paid until its end.
  const ends = Float64Array.from({ length: time.length + 1 }, (_, i) => time[i] ?? time.at(-1)! + market.stepMs)
  const options = { ...costs, funding: fundingPerBar(ends, market.paidAt, market.paid).subarray(0, time.length) }
  return {
    time,
    runStrategy: (strategy) => {
      const { enter, exit, stopDistance, takeDistance } = strategySignals(strategy, barsWithWarmUp, series)
      return backtest(bars, {
        enter: enter.subarray(warmUpCount),
        exit: exit?.subarray(warmUpCount),
        stopDistance: stopDistance?.subarray(warmUpCount),
        takeDistance: takeDistance?.subarray(warmUpCount)
      }, { ...options, maxBars: strategy.max_bars })
    },
    runBuyAndHold: () => buyAndHold(bars, options),
    countConditionBars: ({ entry, exit = [] }) => {
      const [entries, exits] = [entry, exit].map((conditions) =>
        conditions.map((condition) =>
          conditionHolds(condition, barsWithWarmUp, series).subarray(warmUpCount).reduce((sum, value) => sum + value, 0)
        )
      )
      return { entry: entries!, exit: exits! }
    },
    summarise: (result) => summarise(result, barsPerYear(market.stepMs))
  }
}

/** Returns the bars `[from, to)` of a market with their warm-up bars. */
export const sliceMarket = (market: BacktestMarket, from: number, to: number): BacktestMarket => {
  const start = Math.max(0, from - warmUpBars)
  // Copies the columns, because transferring a view would transfer its whole buffer to the other thread.
  const copySlice = (x: Float64Array) => x.slice(start, to)
  const { funding, open_interest, score } = market
  return {
    ...market,
    first: from - start,
    time: copySlice(market.time),
    open: copySlice(market.open),
    high: copySlice(market.high),
    low: copySlice(market.low),
    close: copySlice(market.close),
    volume: copySlice(market.volume),
    ...(funding === undefined ? {} : { funding: copySlice(funding) }),
    ...(open_interest === undefined ? {} : { open_interest: copySlice(open_interest) }),
    ...(score === undefined ? {} : { score: copySlice(score) })
  }
}

export const getBarReturns = ({ equity }: BacktestResult): Float64Array => equityReturns(equity)

const Ratio = Schema.NullOr(Schema.Finite)

export const Summary = Schema.Struct({
  totalReturn: Schema.Finite,
  cagr: Ratio,
  sharpe: Ratio,
  sortino: Ratio,
  calmar: Ratio,
  maxDrawdown: Schema.Finite,
  winRate: Ratio,
  profitFactor: Ratio,
  averageReturn: Ratio,
  trades: Schema.Int,
  exposure: Schema.Finite
})
export type Summary = typeof Summary.Type

export const RunDiagnostics = Schema.Struct({
  conditionCounts: Schema.Struct({ entry: Schema.Array(Schema.Finite), exit: Schema.Array(Schema.Finite) }),
  /** The return of the best trade; null without a trade. */
  bestTradeReturn: Ratio,
  isRuined: Schema.Boolean,
  isOpen: Schema.Boolean
})
export type RunDiagnostics = typeof RunDiagnostics.Type

export const Run = Schema.Struct({ summary: Summary, diagnostics: RunDiagnostics })
export type Run = typeof Run.Type

const bestTradeReturn = (trades: ReadonlyArray<BacktestTrade>): number | null =>
  trades.reduce<number | null>((best, trade) => best === null ? trade.return : Math.max(best, trade.return), null)

export const makeRun = (window: BacktestWindow, strategy: Strategy, result: BacktestResult): Run => ({
  summary: window.summarise(result),
  diagnostics: {
    conditionCounts: window.countConditionBars(strategy),
    bestTradeReturn: bestTradeReturn(result.trades),
    isRuined: result.trades.at(-1)?.reason === "ruin",
    isOpen: result.trades.at(-1)?.reason === "end"
  }
})
