import type { HandlersFrom } from "../../engine/tool/implement.ts"
import { compareStrategies } from "./compareStrategies.ts"
import { runBacktest } from "./runBacktest.ts"
import { runMonteCarlo } from "./runMonteCarlo.ts"
import { runWalkForward } from "./runWalkForward.ts"

export { compareStrategies, runBacktest, runMonteCarlo, runWalkForward }

export const backtestSpecifications = [runBacktest, compareStrategies, runWalkForward, runMonteCarlo] as const

/** Functions that import the handlers of the backtest tools, by tool name. */
export default {
  run_backtest: () => import("./runBacktest.handler.ts"),
  compare_strategies: () => import("./compareStrategies.handler.ts"),
  run_walk_forward: () => import("./runWalkForward.handler.ts"),
  run_monte_carlo: () => import("./runMonteCarlo.handler.ts")
} satisfies HandlersFrom<typeof backtestSpecifications>
