import type { ToolSpecification } from "../tool/specification.ts"
import { getCoil } from "./crypto/getCoil.ts"
import { getFearGreed } from "./crypto/getFearGreed.ts"
import { getIndicators } from "./crypto/getIndicators.ts"
import { getMarketOverview } from "./crypto/getMarketOverview.ts"
import { getPrice } from "./crypto/getPrice.ts"
import { getPriceAt } from "./crypto/getPriceAt.ts"
import { getPriceHistory } from "./crypto/getPriceHistory.ts"
import { getRegime } from "./crypto/getRegime.ts"
import { getScore } from "./crypto/getScore.ts"
import { getScoreHistory } from "./crypto/getScoreHistory.ts"
import { getKimchiPremium } from "./korea/getKimchiPremium.ts"
import { getActiveSignals } from "./signals/getActiveSignals.ts"
import { getBinaryEv } from "./signals/getBinaryEv.ts"
import { getHitRate } from "./signals/getHitRate.ts"
import { getProbability } from "./signals/getProbability.ts"
import { getSignalOutcomes } from "./signals/getSignalOutcomes.ts"
import { getUsStock } from "./us/getUsStock.ts"

export {
  getActiveSignals,
  getBinaryEv,
  getCoil,
  getFearGreed,
  getHitRate,
  getIndicators,
  getKimchiPremium,
  getMarketOverview,
  getPrice,
  getPriceAt,
  getPriceHistory,
  getProbability,
  getRegime,
  getScore,
  getScoreHistory,
  getSignalOutcomes,
  getUsStock
}

/** Every tool's specification, in the order of the catalogue. Free of handlers, for browsers. */
export const specifications = [
  getMarketOverview,
  getPrice,
  getIndicators,
  getPriceAt,
  getScore,
  getScoreHistory,
  getPriceHistory,
  getCoil,
  getRegime,
  getFearGreed,
  getSignalOutcomes,
  getHitRate,
  getActiveSignals,
  getProbability,
  getBinaryEv,
  getKimchiPremium,
  getUsStock
] as const satisfies ReadonlyArray<ToolSpecification>
