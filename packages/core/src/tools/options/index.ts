import type { HandlersFrom } from "../../engine/tool/implement.ts"
import { getIvMetrics } from "./getIvMetrics.ts"
import { getOptionChain } from "./getOptionChain.ts"
import { getOptionFlow } from "./getOptionFlow.ts"
import { getOptionsBacktest } from "./getOptionsBacktest.ts"
import { getOptionsPositioning } from "./getOptionsPositioning.ts"
import { getOptionStrategy } from "./getOptionStrategy.ts"
import { getOptionStructure } from "./getOptionStructure.ts"
import { getVolSurface } from "./getVolSurface.ts"

export {
  getIvMetrics,
  getOptionChain,
  getOptionFlow,
  getOptionsBacktest,
  getOptionsPositioning,
  getOptionStrategy,
  getOptionStructure,
  getVolSurface
}

export const optionsSpecifications = [
  getIvMetrics,
  getOptionsPositioning,
  getOptionStrategy,
  getOptionsBacktest,
  getOptionStructure,
  getOptionChain,
  getVolSurface,
  getOptionFlow
] as const

/** Functions that import the handlers of the options tools, by tool name. */
export default {
  get_iv_metrics: () => import("./getIvMetrics.handler.ts"),
  get_options_positioning: () => import("./getOptionsPositioning.handler.ts"),
  get_option_strategy: () => import("./getOptionStrategy.handler.ts"),
  get_options_backtest: () => import("./getOptionsBacktest.handler.ts"),
  get_option_structure: () => import("./getOptionStructure.handler.ts"),
  get_option_chain: () => import("./getOptionChain.handler.ts"),
  get_vol_surface: () => import("./getVolSurface.handler.ts"),
  get_option_flow: () => import("./getOptionFlow.handler.ts")
} satisfies HandlersFrom<typeof optionsSpecifications>
