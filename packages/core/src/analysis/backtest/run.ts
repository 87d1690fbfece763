/** The result of a backtest, as its jobs return it. */
import type { BacktestResult, BacktestTrade, Strategy } from "@tapeline/quant/backtest"
import { Schema } from "effect"
import type { Window } from "./window.ts"

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

/** The facts from which warnings about a run are derived. */
export const Symptoms = Schema.Struct({
  /** The number of bars on which each condition held. */
  held: Schema.Struct({ entry: Schema.Array(Schema.Finite), exit: Schema.Array(Schema.Finite) }),
  /** The best trade's return. Null without a trade. */
  best: Ratio,
  isRuined: Schema.Boolean,
  /** Whether the last position was open at the end. */
  isOpen: Schema.Boolean
})
export type Symptoms = typeof Symptoms.Type

export const Run = Schema.Struct({ summary: Summary, symptoms: Symptoms })
export type Run = typeof Run.Type

const bestOf = (trades: ReadonlyArray<BacktestTrade>): number | null =>
  trades.reduce<number | null>((best, trade) => best === null ? trade.return : Math.max(best, trade.return), null)

export const runOf = (window: Window, strategy: Strategy, result: BacktestResult): Run => ({
  summary: window.summary(result),
  symptoms: {
    held: window.held(strategy),
    best: bestOf(result.trades),
    isRuined: result.trades.at(-1)?.reason === "ruin",
    isOpen: result.trades.at(-1)?.reason === "end"
  }
})
