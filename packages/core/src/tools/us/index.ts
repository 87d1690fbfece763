import type { HandlersFrom } from "../../engine/tool/implement.ts"
import { getUsAnalystRatings } from "./getUsAnalystRatings.ts"
import { getUsEarnings } from "./getUsEarnings.ts"
import { getUsFundamentals } from "./getUsFundamentals.ts"
import { getUsInsiderTrades } from "./getUsInsiderTrades.ts"
import { getUsMarket } from "./getUsMarket.ts"
import { getUsOptions } from "./getUsOptions.ts"
import { getUsStock } from "./getUsStock.ts"
import { getUsStockHistory } from "./getUsStockHistory.ts"

export {
  getUsAnalystRatings,
  getUsEarnings,
  getUsFundamentals,
  getUsInsiderTrades,
  getUsMarket,
  getUsOptions,
  getUsStock,
  getUsStockHistory
}

export const usSpecifications = [
  getUsMarket,
  getUsStock,
  getUsStockHistory,
  getUsFundamentals,
  getUsEarnings,
  getUsAnalystRatings,
  getUsInsiderTrades,
  getUsOptions
] as const

/** Functions that import the handlers of the US tools, by tool name. */
export default {
  get_us_market: () => import("./getUsMarket.handler.ts"),
  get_us_stock: () => import("./getUsStock.handler.ts"),
  get_us_stock_history: () => import("./getUsStockHistory.handler.ts"),
  get_us_fundamentals: () => import("./getUsFundamentals.handler.ts"),
  get_us_earnings: () => import("./getUsEarnings.handler.ts"),
  get_us_analyst_ratings: () => import("./getUsAnalystRatings.handler.ts"),
  get_us_insider_trades: () => import("./getUsInsiderTrades.handler.ts"),
  get_us_options: () => import("./getUsOptions.handler.ts")
} satisfies HandlersFrom<typeof usSpecifications>
