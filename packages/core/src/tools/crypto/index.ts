import type { HandlersFrom } from "../../engine/tool/implement.ts"
import { compareCoins } from "./compareCoins.ts"
import { getCoil } from "./getCoil.ts"
import { getCorrelation } from "./getCorrelation.ts"
import { getDominance } from "./getDominance.ts"
import { getFearGreed } from "./getFearGreed.ts"
import { getIndicators } from "./getIndicators.ts"
import { getLevels } from "./getLevels.ts"
import { getMarketOverview } from "./getMarketOverview.ts"
import { getMovers } from "./getMovers.ts"
import { getOrderbook } from "./getOrderbook.ts"
import { getPrice } from "./getPrice.ts"
import { getPriceAt } from "./getPriceAt.ts"
import { getPriceHistory } from "./getPriceHistory.ts"
import { getRegime } from "./getRegime.ts"
import { getScore } from "./getScore.ts"
import { getScoreHistory } from "./getScoreHistory.ts"
import { getSeasonality } from "./getSeasonality.ts"
import { getVolatility } from "./getVolatility.ts"
import { getVolumeProfile } from "./getVolumeProfile.ts"
import { getVwap } from "./getVwap.ts"
import { screenCoins } from "./screenCoins.ts"

export {
  compareCoins,
  getCoil,
  getCorrelation,
  getDominance,
  getFearGreed,
  getIndicators,
  getLevels,
  getMarketOverview,
  getMovers,
  getOrderbook,
  getPrice,
  getPriceAt,
  getPriceHistory,
  getRegime,
  getScore,
  getScoreHistory,
  getSeasonality,
  getVolatility,
  getVolumeProfile,
  getVwap,
  screenCoins
}

export const cryptoSpecifications = [
  getMarketOverview,
  getPrice,
  getIndicators,
  getPriceAt,
  getScore,
  getScoreHistory,
  getLevels,
  getPriceHistory,
  getCoil,
  getRegime,
  getFearGreed,
  getMovers,
  getOrderbook,
  getVwap,
  getVolumeProfile,
  getVolatility,
  getCorrelation,
  getSeasonality,
  getDominance,
  screenCoins,
  compareCoins
] as const

/** Functions that import the handlers of the crypto tools, by tool name. */
export default {
  get_market_overview: () => import("./getMarketOverview.handler.ts"),
  get_price: () => import("./getPrice.handler.ts"),
  get_indicators: () => import("./getIndicators.handler.ts"),
  get_price_at: () => import("./getPriceAt.handler.ts"),
  get_score: () => import("./getScore.handler.ts"),
  get_score_history: () => import("./getScoreHistory.handler.ts"),
  get_levels: () => import("./getLevels.handler.ts"),
  get_price_history: () => import("./getPriceHistory.handler.ts"),
  get_coil: () => import("./getCoil.handler.ts"),
  get_regime: () => import("./getRegime.handler.ts"),
  get_fear_greed: () => import("./getFearGreed.handler.ts"),
  get_movers: () => import("./getMovers.handler.ts"),
  get_orderbook: () => import("./getOrderbook.handler.ts"),
  get_vwap: () => import("./getVwap.handler.ts"),
  get_volume_profile: () => import("./getVolumeProfile.handler.ts"),
  get_volatility: () => import("./getVolatility.handler.ts"),
  get_correlation: () => import("./getCorrelation.handler.ts"),
  get_seasonality: () => import("./getSeasonality.handler.ts"),
  get_dominance: () => import("./getDominance.handler.ts"),
  screen_coins: () => import("./screenCoins.handler.ts"),
  compare_coins: () => import("./compareCoins.handler.ts")
} satisfies HandlersFrom<typeof cryptoSpecifications>
