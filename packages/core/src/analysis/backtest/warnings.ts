/** Warnings that an experienced user would want before trusting a backtest. */
import { counted } from "../../engine/text/counted.ts"
import { instant } from "../../engine/tool/result.ts"
import { dayMs } from "../../market/timeframe.ts"
import type { BacktestReading } from "./readMarket.ts"
import type { Run, Summary } from "./run.ts"
import { operandsOf, type StrategyData } from "./strategy.ts"
import type { Costs } from "./window.ts"

/** With fewer trades, rates are mostly chance. */
export const fewTrades = 30

/** A shorter window may contain only one kind of market. */
const shortDays = 90

/** If funding begins later than this after the start of the window, it is missing there. */
const fundingSlackMs = 2 * dayMs

const fundingWarning = ({ coin, from, fundedFrom }: BacktestReading): ReadonlyArray<string> =>
  fundedFrom === null
    ? [`No funding of ${coin} is recorded, and none is charged.`]
    : fundedFrom - from > fundingSlackMs
    ? [`Funding is recorded from ${instant(fundedFrom)} on; none is charged before.`]
    : []

const named = { funding: "Funding", open_interest: "Open interest", score: "The score" } as const

/** Returns warnings about the market data and the costs. */
export const marketWarnings = (read: BacktestReading, asked: number, costs: Costs): ReadonlyArray<string> => {
  const { bars, closed, from, holes, to, unknown } = read
  const days = (to - from) / dayMs
  return [
    ...bars + holes < asked ? [`Only ${bars} of ${counted(asked, "bar")} are there: its history begins later.`] : [],
    ...holes > 0
      ? [
        `${counted(holes, "bar")} not recorded: indicators run over the others, positions stay open across, and what ` +
        "moved inside shows at the next open."
      ]
      : [],
    ...days < shortDays
      ? [`The window is ${Math.floor(days)} days, perhaps one kind of market; annualised numbers are guesses.`]
      : [],
    ...closed.diedAt === null ? [] : [`${read.coin} ceased to trade at ${instant(closed.diedAt)}.`],
    ...closed.late ? [`No candle after ${instant(to)} is recorded.`] : [],
    ...fundingWarning(read),
    ...unknown.map(({ bars: n, operand }) =>
      `${named[operand]} is not known at ${n} of ${counted(bars, "close")}: conditions on it are false there.`
    ),
    ...costs.feeBps + costs.slippageBps === 0 ? ["No fee and no slippage are charged: nobody trades for nothing."] : []
  ]
}

/** Returns warnings about a strategy's definition. */
export const strategyWarnings = (
  strategy: StrategyData,
  tf: string
): ReadonlyArray<string> => {
  const { exit, max_bars, side, stop_atr, take_atr } = strategy
  return [
    ...exit.length === 0 && (side === "both" || (max_bars ?? stop_atr ?? take_atr) === undefined)
      ? [
        side === "both"
          ? "Without exit conditions nothing opens a short, and only stop_atr, take_atr or max_bars closes a long."
          : "Without exit, stop_atr, take_atr or max_bars a position is held to the end."
      ]
      : [],
    ...tf === "1d" && operandsOf([strategy]).has("vwap")
      ? ["vwap begins anew each UTC day: on 1d candles it is each one's (high + low + close) / 3."]
      : []
  ]
}

const tradeWarning = ({ trades }: Summary): ReadonlyArray<string> =>
  trades >= fewTrades
    ? []
    : [
      trades === 0
        ? "It never traded."
        : `Only ${counted(trades, "trade")}: below ${fewTrades} rates and ratios are mostly chance.`
    ]

/** Returns warnings about the results of a strategy. */
export const runWarnings = ({ summary, symptoms }: Run): ReadonlyArray<string> => {
  const { best, held, isOpen, isRuined } = symptoms
  const never = (["entry", "exit"] as const).flatMap((list) =>
    held[list].flatMap((bars, i) => bars === 0 ? [`${list}.${i}`] : [])
  )
  return [
    ...tradeWarning(summary),
    ...never.length === 0 ? [] : [`Never true: ${never.join(", ")}.`],
    ...best !== null && summary.trades > 1 && summary.totalReturn > 0 && (1 + summary.totalReturn) / (1 + best) <= 1
      ? ["Without its best trade it would not have gained."]
      : [],
    ...isRuined ? ["The equity was used up; nothing was traded after that."] : [],
    ...isOpen ? ["The last position was still open and is closed at the last close."] : []
  ]
}

/** Explains why ratios are null. */
export const nullNotes = (summary: Summary): ReadonlyArray<string> => {
  const reasons: ReadonlyArray<readonly [string, number | null, string]> = [
    ["cagr", summary.cagr, "a year of such growth is beyond any number"],
    ["sharpe", summary.sharpe, "the equity never moved"],
    ["sortino", summary.sortino, "no bar lost"],
    ["calmar", summary.calmar, summary.maxDrawdown === 0 ? "no drawdown" : "no cagr"],
    ["win_rate", summary.winRate, "no trade"],
    ["profit_factor", summary.profitFactor, summary.trades === 0 ? "no trade" : "no trade lost"],
    ["average_trade", summary.averageReturn, "no trade"]
  ]
  const absent = reasons.flatMap(([name, value, why]) => value === null ? [`${name} (${why})`] : [])
  return absent.length === 0 ? [] : [`Null: ${absent.join(", ")}.`]
}

/** Prefixes warnings with the label of their strategy. */
export const labelled = (label: string, warnings: ReadonlyArray<string>): ReadonlyArray<string> =>
  warnings.map((warning) => `${label}: ${warning}`)
