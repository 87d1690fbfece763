import { Effect } from "effect"
import { costsOf, makeBacktests } from "../../analysis/backtest/backtests.ts"
import { monteCarloJob } from "../../analysis/backtest/monteCarloJob.ts"
import { marketWarnings, nullNotes, runWarnings, strategyWarnings } from "../../analysis/backtest/warnings.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { sourceOf } from "../../market/provenance.ts"
import { metricsOf, triedOf } from "./fields.ts"
import { runMonteCarlo } from "./runMonteCarlo.ts"

const method = (bars: number): string =>
  [
    `Stationary block bootstrap (Politis and Romano, 1994) of the strategy's ${bars} bar returns, bars without a`,
    "position included: blocks that begin anywhere, with geometric lengths of that mean, as many bars a path.",
    "It reorders what happened, and knows no market that this window has not seen."
  ].join(" ")

export const handler = handlerOf(
  runMonteCarlo,
  Effect.gen(function*() {
    const backtests = yield* makeBacktests
    return Effect.fnUntraced(function*(args) {
      const { mean_block, paths, ruin_pct, seed, strategy } = args
      const read = yield* backtests.read(args, [strategy])
      const costs = costsOf(args)
      const found = yield* backtests.run(monteCarloJob, {
        market: read.market,
        costs,
        strategy,
        paths,
        seed,
        ...(mean_block === undefined ? {} : { meanBlock: mean_block }),
        ruin: -ruin_pct / 100
      })
      const { drawdown: { p5, p25, p50, p75, p95 } } = found
      return {
        ...triedOf(read, costs),
        paths,
        seed,
        mean_block: found.meanBlock,
        ruin_pct,
        observed: metricsOf(found.summary),
        percentiles: {
          return: found.totalReturn,
          max_drawdown_pct: { p5: 100 * p5, p25: 100 * p25, p50: 100 * p50, p75: 100 * p75, p95: 100 * p95 }
        },
        ruin_probability: found.ruinProbability,
        loss_probability: found.lossProbability,
        method: method(read.bars),
        warnings: [
          ...marketWarnings(read, args.bars, costs),
          ...strategyWarnings(strategy, args.tf),
          ...runWarnings(found)
        ],
        notes: nullNotes(found.summary),
        as_of: instant(read.to),
        source: sourceOf(read)
      }
    })
  })
)
