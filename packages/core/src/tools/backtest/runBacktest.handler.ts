import { thin } from "@tapeline/quant/performance"
import { Effect } from "effect"
import { backtestJob } from "../../analysis/backtest/backtestJob.ts"
import { makeBacktests, toCosts } from "../../analysis/backtest/backtests.ts"
import { marketWarnings, nullNotes, runWarnings, strategyWarnings } from "../../analysis/backtest/warnings.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { sourceText } from "../../market/provenance.ts"
import { durationMs } from "../../market/timeframe.ts"
import { toBacktestFields, toMetrics } from "./resultFields.ts"
import { runBacktest } from "./runBacktest.ts"

const method = [
  "Conditions are evaluated at a close and filled at the next open, without a position at the start, with the whole equity in each trade.",
  "Slippage worsens every fill, fees are charged on the notional of entry and exit, and open positions pay funding at a close.",
  "A bar that touches both stop and target counts as a stop; an open beyond a level is filled at the open."
].join(" ")

/** Returns the number of points in an equity curve. More trades get fewer points, to limit the size of the result. */
const curvePoints = (trades: number): number => Math.max(30, Math.min(200, 170 - 3 * trades))

export const handler = handlerOf(
  runBacktest,
  Effect.gen(function*() {
    const backtests = yield* makeBacktests
    return Effect.fnUntraced(function*(args) {
      const { strategy, tf } = args
      const reading = yield* backtests.read(args, [strategy])
      const costs = toCosts(args)
      const run = yield* backtests.run(backtestJob, { market: reading.market, costs, strategy })
      const points = curvePoints(run.trades.length)
      const barTimes = thin(run.time, points)
      const equity = thin(run.equity, points)
      return {
        ...toBacktestFields(reading, costs),
        metrics: toMetrics(run.summary),
        buy_and_hold: toMetrics(run.hold),
        funding_pct: 100 * run.funding,
        equity: Array.from(barTimes, (time, i) => ({ time: formatInstant(time + durationMs[tf]), equity: equity[i]! })),
        trades: run.trades.map(({ entry, entryIndex, exit, exitIndex, reason, return: gain, side }) => ({
          side,
          entered_at: formatInstant(run.time[entryIndex]!),
          exited_at: formatInstant(run.time[exitIndex]!),
          entry,
          exit,
          return: gain,
          reason
        })),
        method,
        warnings: [
          ...marketWarnings(reading, args.bars, costs),
          ...strategyWarnings(strategy, tf),
          ...runWarnings(run)
        ],
        notes: [
          ...run.summary.trades > run.trades.length
            ? [`The last ${run.trades.length} of ${run.summary.trades} trades are listed.`]
            : [],
          ...nullNotes(run.summary)
        ],
        as_of: formatInstant(reading.to),
        source: sourceText(reading)
      }
    })
  })
)
