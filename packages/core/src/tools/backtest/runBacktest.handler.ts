import { thin } from "@tapeline/quant/performance"
import { Effect } from "effect"
import { backtestJob } from "../../analysis/backtest/backtestJob.ts"
import { costsOf, makeBacktests } from "../../analysis/backtest/backtests.ts"
import { marketWarnings, nullNotes, runWarnings, strategyWarnings } from "../../analysis/backtest/warnings.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { sourceOf } from "../../market/provenance.ts"
import { durationMs } from "../../market/timeframe.ts"
import { metricsOf, triedOf } from "./fields.ts"
import { runBacktest } from "./runBacktest.ts"

const method = [
  "Conditions are judged at a close and filled at the next open, from a flat start, the whole equity in each trade.",
  "Slippage worsens every fill, the fee is of the notional of both sides, funding is paid at a close by whoever is in.",
  "A bar that touches stop and take counts as the stop; an open beyond one fills at the open."
].join(" ")

/** The number of points in an equity curve. It decreases with the number of trades, to keep the result readable. */
const pointsBeside = (trades: number): number => Math.max(30, Math.min(200, 170 - 3 * trades))

export const handler = handlerOf(
  runBacktest,
  Effect.gen(function*() {
    const backtests = yield* makeBacktests
    return Effect.fnUntraced(function*(args) {
      const { strategy, tf } = args
      const read = yield* backtests.read(args, [strategy])
      const costs = costsOf(args)
      const run = yield* backtests.run(backtestJob, { market: read.market, costs, strategy })
      const points = pointsBeside(run.trades.length)
      const ends = thin(run.time, points)
      const equity = thin(run.equity, points)
      return {
        ...triedOf(read, costs),
        metrics: metricsOf(run.summary),
        buy_and_hold: metricsOf(run.hold),
        funding_pct: 100 * run.funding,
        equity: Array.from(ends, (time, i) => ({ time: instant(time + durationMs[tf]), equity: equity[i]! })),
        trades: run.trades.map(({ entry, entryIndex, exit, exitIndex, reason, return: gain, side }) => ({
          side,
          entered_at: instant(run.time[entryIndex]!),
          exited_at: instant(run.time[exitIndex]!),
          entry,
          exit,
          return: gain,
          reason
        })),
        method,
        warnings: [
          ...marketWarnings(read, args.bars, costs),
          ...strategyWarnings(strategy, tf),
          ...runWarnings(run)
        ],
        notes: [
          ...run.summary.trades > run.trades.length
            ? [`Of ${run.summary.trades} trades the last ${run.trades.length} are told.`]
            : [],
          ...nullNotes(run.summary)
        ],
        as_of: instant(read.to),
        source: sourceOf(read)
      }
    })
  })
)
