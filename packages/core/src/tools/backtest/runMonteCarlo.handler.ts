import { Effect } from "effect"
import { makeBacktests, toCosts } from "../../analysis/backtest/backtests.ts"
import { monteCarloJob } from "../../analysis/backtest/monteCarloJob.ts"
import { marketWarnings, nullNotes, runWarnings, strategyWarnings } from "../../analysis/backtest/warnings.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { sourceText } from "../../market/provenance.ts"
import { toBacktestFields, toMetrics } from "./resultFields.ts"
import { runMonteCarlo } from "./runMonteCarlo.ts"

const describeMethod = (bars: number): string =>
  [
    `Stationary block bootstrap (Politis and Romano, 1994) of the strategy's ${bars} bar returns, including`,
    "bars without a position. Blocks begin at random bars and have geometric lengths with the mean mean_block; each path has as many bars as the window.",
    "It only reorders the returns of this window, so it contains no other kind of market."
  ].join(" ")

export const handler = handlerOf(
  runMonteCarlo,
  Effect.gen(function*() {
    const backtests = yield* makeBacktests
    return Effect.fnUntraced(function*(args) {
      const { mean_block, paths, ruin_pct, seed, strategy } = args
      const reading = yield* backtests.read(args, [strategy])
      const costs = toCosts(args)
      const simulation = yield* backtests.run(monteCarloJob, {
        market: reading.market,
        costs,
        strategy,
        paths,
        seed,
        ...(mean_block === undefined ? {} : { meanBlock: mean_block }),
        ruin: -ruin_pct / 100
      })
      const { drawdown: { p5, p25, p50, p75, p95 } } = simulation
      return {
        ...toBacktestFields(reading, costs),
        paths,
        seed,
        mean_block: simulation.meanBlock,
        ruin_pct,
        observed: toMetrics(simulation.summary),
        percentiles: {
          return: simulation.totalReturn,
          max_drawdown_pct: { p5: 100 * p5, p25: 100 * p25, p50: 100 * p50, p75: 100 * p75, p95: 100 * p95 }
        },
        ruin_probability: simulation.ruinProbability,
        loss_probability: simulation.lossProbability,
        method: describeMethod(reading.bars),
        warnings: [
          ...marketWarnings(reading, args.bars, costs),
          ...strategyWarnings(strategy, args.tf),
          ...runWarnings(simulation)
        ],
        notes: nullNotes(simulation.summary),
        as_of: formatInstant(reading.to),
        source: sourceText(reading)
      }
    })
  })
)
