import { Effect } from "effect"
import { makeBacktests, toCosts } from "../../analysis/backtest/backtests.ts"
import { compareJob } from "../../analysis/backtest/compareJob.ts"
import {
  marketWarnings,
  nullNotes,
  prefixWarnings,
  runWarnings,
  strategyWarnings
} from "../../analysis/backtest/warnings.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { sourceText } from "../../market/provenance.ts"
import { compareStrategies } from "./compareStrategies.ts"
import { toBacktestFields, toMetrics } from "./resultFields.ts"

export const handler = handlerOf(
  compareStrategies,
  Effect.gen(function*() {
    const backtests = yield* makeBacktests
    return Effect.fnUntraced(function*(args) {
      const { strategies } = args
      const reading = yield* backtests.read(args, strategies)
      const costs = toCosts(args)
      const comparison = yield* backtests.run(compareJob, { market: reading.market, costs, strategies })
      return {
        ...toBacktestFields(reading, costs),
        rows: comparison.runs.map(({ summary }, strategy) => ({ strategy, ...toMetrics(summary) })),
        buy_and_hold: toMetrics(comparison.hold),
        ranking: comparison.ranking,
        correlation: comparison.correlation,
        deflated_sharpe: comparison.deflatedSharpe,
        trials: strategies.length,
        warnings: [
          ...marketWarnings(reading, args.bars, costs),
          ...strategies.flatMap((strategy, i) =>
            prefixWarnings(`strategies.${i}`, [
              ...strategyWarnings(strategy, args.tf),
              ...runWarnings(comparison.runs[i]!)
            ])
          )
        ],
        notes: comparison.runs.flatMap(({ summary }, i) => prefixWarnings(`strategies.${i}`, nullNotes(summary))),
        as_of: formatInstant(reading.to),
        source: sourceText(reading)
      }
    })
  })
)
