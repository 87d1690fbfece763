import type { HandlersFrom } from "../../engine/tool/implement.ts"
import { getBasis } from "./getBasis.ts"
import { getDerivatives } from "./getDerivatives.ts"
import { getFundingComparison } from "./getFundingComparison.ts"
import { getLiquidationMap } from "./getLiquidationMap.ts"
import { getLiquidations } from "./getLiquidations.ts"
import { getLiquidationsHistory } from "./getLiquidationsHistory.ts"
import { getPositioningHistory } from "./getPositioningHistory.ts"

export {
  getBasis,
  getDerivatives,
  getFundingComparison,
  getLiquidationMap,
  getLiquidations,
  getLiquidationsHistory,
  getPositioningHistory
}

export const derivativesSpecifications = [
  getDerivatives,
  getPositioningHistory,
  getLiquidations,
  getLiquidationsHistory,
  getLiquidationMap,
  getBasis,
  getFundingComparison
] as const

/** Functions that import the handlers of the derivatives tools, by tool name. */
export default {
  get_derivatives: () => import("./getDerivatives.handler.ts"),
  get_positioning_history: () => import("./getPositioningHistory.handler.ts"),
  get_liquidations: () => import("./getLiquidations.handler.ts"),
  get_liquidations_history: () => import("./getLiquidationsHistory.handler.ts"),
  get_liquidation_map: () => import("./getLiquidationMap.handler.ts"),
  get_basis: () => import("./getBasis.handler.ts"),
  get_funding_comparison: () => import("./getFundingComparison.handler.ts")
} satisfies HandlersFrom<typeof derivativesSpecifications>
