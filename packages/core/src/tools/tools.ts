import { getCoilTool } from "./crypto/getCoil.handler.ts"
import { getFearGreedTool } from "./crypto/getFearGreed.handler.ts"
import { getIndicatorsTool } from "./crypto/getIndicators.handler.ts"
import { getMarketOverviewTool } from "./crypto/getMarketOverview.handler.ts"
import { getPriceTool } from "./crypto/getPrice.handler.ts"
import { getPriceAtTool } from "./crypto/getPriceAt.handler.ts"
import { getPriceHistoryTool } from "./crypto/getPriceHistory.handler.ts"
import { getRegimeTool } from "./crypto/getRegime.handler.ts"
import { getScoreTool } from "./crypto/getScore.handler.ts"
import { getScoreHistoryTool } from "./crypto/getScoreHistory.handler.ts"
import { getKimchiPremiumTool } from "./korea/getKimchiPremium.handler.ts"
import { getActiveSignalsTool } from "./signals/getActiveSignals.handler.ts"
import { getBinaryEvTool } from "./signals/getBinaryEv.handler.ts"
import { getHitRateTool } from "./signals/getHitRate.handler.ts"
import { getProbabilityTool } from "./signals/getProbability.handler.ts"
import { getSignalOutcomesTool } from "./signals/getSignalOutcomes.handler.ts"
import { getUsStockTool } from "./us/getUsStock.handler.ts"

/** Every tool with its handler, in the order of the catalogue. `Toolbox.layer(tools)` makes them ready. */
export const tools = [
  getMarketOverviewTool,
  getPriceTool,
  getIndicatorsTool,
  getPriceAtTool,
  getScoreTool,
  getScoreHistoryTool,
  getPriceHistoryTool,
  getCoilTool,
  getRegimeTool,
  getFearGreedTool,
  getSignalOutcomesTool,
  getHitRateTool,
  getActiveSignalsTool,
  getProbabilityTool,
  getBinaryEvTool,
  getKimchiPremiumTool,
  getUsStockTool
] as const
