/** A stretch of a market on which strategies run. Each starts flat and has the same costs. */
import {
  backtest,
  type BacktestResult,
  type BacktestSummary,
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

/** The number of bars before a window that warm up its indicators, if they exist. */
export const warmUpBars = 1_000

/** A market as the input of jobs: bars by column, oldest first, without bars that were not recorded. */
export const BacktestMarket = Schema.Struct({
  /** Opening times, epoch ms. */
  time: Column,
  open: Column,
  high: Column,
  low: Column,
  close: Column,
  volume: Column,
  stepMs: Schema.Finite,
  /** The index of the first traded bar. Bars before it warm up the indicators. */
  first: Schema.Int,
  /** Funding payments: their times, and the fraction of the notional that longs paid. */
  paidAt: Column,
  paid: Column,
  /** Further operands, as known at each bar's close; NaN if unknown. Absent if no strategy uses them. */
  funding: Schema.optionalKey(Column),
  open_interest: Schema.optionalKey(Column),
  score: Schema.optionalKey(Column)
})
export type BacktestMarket = typeof BacktestMarket.Type

export const Costs = Schema.Struct({ feeBps: Schema.Finite, slippageBps: Schema.Finite })
export type Costs = typeof Costs.Type

/** Returns the number of bars of a length in a year of 365 days. */
export const barsPerYear = (stepMs: number): number => 365 * dayMs / stepMs

/** The number of bars on which each condition of a strategy held. */
export interface Held {
  readonly entry: ReadonlyArray<number>
  readonly exit: ReadonlyArray<number>
}

export interface Window {
  /** Opening times of its bars. */
  readonly time: Float64Array
  readonly trade: (strategy: Strategy) => BacktestResult
  readonly hold: () => BacktestResult
  readonly held: (strategy: Strategy) => Held
  readonly summary: (result: SummarisedBacktest) => BacktestSummary
}

/**
 * Creates the window of the bars `[from, to)` of a market. Indicators begin exactly `warmUpBars` before it, if they
 * exist. The trades of a window thus do not depend on the longer series that contains it.
 */
export const windowOf = (market: BacktestMarket, costs: Costs, from: number, to: number): Window => {
  const start = Math.max(0, from - warmUpBars)
  const ahead = from - start
  const cut = (x: Float64Array | undefined) => x?.subarray(start, to)
  const seen = {
    open: market.open.subarray(start, to),
    high: market.high.subarray(start, to),
    low: market.low.subarray(start, to),
    close: market.close.subarray(start, to),
    volume: market.volume.subarray(start, to),
    session: market.time.subarray(start, to).map((time) => Math.floor(time / dayMs)),
    funding: cut(market.funding),
    open_interest: cut(market.open_interest),
    score: cut(market.score)
  }
  const time = market.time.subarray(from, to)
  const bars = {
    open: market.open.subarray(from, to),
    high: market.high.subarray(from, to),
    low: market.low.subarray(from, to),
    close: market.close.subarray(from, to)
  }
  const series = operandSource(seen)
  // Includes the end of the last bar, so that it is charged the funding paid until then.
  const ends = Float64Array.from({ length: time.length + 1 }, (_, i) => time[i] ?? time.at(-1)! + market.stepMs)
  const options = { ...costs, funding: fundingPerBar(ends, market.paidAt, market.paid).subarray(0, time.length) }
  return {
    time,
    trade: (strategy) => {
      const { enter, exit, stopDistance, takeDistance } = strategySignals(strategy, seen, series)
      return backtest(bars, {
        enter: enter.subarray(ahead),
        exit: exit?.subarray(ahead),
        stopDistance: stopDistance?.subarray(ahead),
        takeDistance: takeDistance?.subarray(ahead)
      }, { ...options, maxBars: strategy.max_bars })
    },
    hold: () => buyAndHold(bars, options),
    held: ({ entry, exit = [] }) => {
      const [entries, exits] = [entry, exit].map((conditions) =>
        conditions.map((condition) =>
          conditionHolds(condition, seen, series).subarray(ahead).reduce((sum, one) => sum + one, 0)
        )
      )
      return { entry: entries!, exit: exits! }
    },
    summary: (result) => summarise(result, barsPerYear(market.stepMs))
  }
}

/** Returns the bars `[from, to)` of a market with their warm-up bars. */
export const stretchOf = (market: BacktestMarket, from: number, to: number): BacktestMarket => {
  const start = Math.max(0, from - warmUpBars)
  // Copies, because a view would transfer its whole buffer to the other thread.
  const cut = (x: Float64Array) => x.slice(start, to)
  const { funding, open_interest, score } = market
  return {
    ...market,
    first: from - start,
    time: cut(market.time),
    open: cut(market.open),
    high: cut(market.high),
    low: cut(market.low),
    close: cut(market.close),
    volume: cut(market.volume),
    ...(funding === undefined ? {} : { funding: cut(funding) }),
    ...(open_interest === undefined ? {} : { open_interest: cut(open_interest) }),
    ...(score === undefined ? {} : { score: cut(score) })
  }
}

/** Returns the return of each bar. */
export const returnsOf = ({ equity }: BacktestResult): Float64Array => equityReturns(equity)
