import { Effect } from "effect"
import { costsOf, makeBacktests } from "../../analysis/backtest/backtests.ts"
import { compareJob } from "../../analysis/backtest/compareJob.ts"
import { labelled, marketWarnings, nullNotes, runWarnings, strategyWarnings } from "../../analysis/backtest/warnings.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { sourceOf } from "../../market/provenance.ts"
import { compareStrategies } from "./compareStrategies.ts"
import { metricsOf, triedOf } from "./fields.ts"

export const handler = handlerOf(
  compareStrategies,
  Effect.gen(function*() {
    const backtests = yield* makeBacktests
    return Effect.fnUntraced(function*(args) {
      const { strategies } = args
      const read = yield* backtests.read(args, strategies)
      const costs = costsOf(args)
      const found = yield* backtests.run(compareJob, { market: read.market, costs, strategies })
      return {
        ...triedOf(read, costs),
        rows: found.runs.map(({ summary }, strategy) => ({ strategy, ...metricsOf(summary) })),
        buy_and_hold: metricsOf(found.hold),
        ranking: found.ranking,
        correlation: found.correlation,
        deflated_sharpe: found.deflatedSharpe,
        trials: strategies.length,
        warnings: [
          ...marketWarnings(read, args.bars, costs),
          ...strategies.flatMap((strategy, i) =>
            labelled(`strategies.${i}`, [...strategyWarnings(strategy, args.tf), ...runWarnings(found.runs[i]!)])
          )
        ],
        notes: found.runs.flatMap(({ summary }, i) => labelled(`strategies.${i}`, nullNotes(summary))),
        as_of: instant(read.to),
        source: sourceOf(read)
      }
    })
  })
)
