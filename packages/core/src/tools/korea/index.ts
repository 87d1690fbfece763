import type { HandlersFrom } from "../../engine/tool/implement.ts"
import { getKimchiPremium } from "./getKimchiPremium.ts"
import { getKrDisclosures } from "./getKrDisclosures.ts"
import { getKrInvestorFlows } from "./getKrInvestorFlows.ts"
import { getKrListings } from "./getKrListings.ts"
import { getKrMarket } from "./getKrMarket.ts"
import { getKrStock } from "./getKrStock.ts"
import { getKrStockHistory } from "./getKrStockHistory.ts"

export {
  getKimchiPremium,
  getKrDisclosures,
  getKrInvestorFlows,
  getKrListings,
  getKrMarket,
  getKrStock,
  getKrStockHistory
}

export const koreaSpecifications = [
  getKimchiPremium,
  getKrListings,
  getKrMarket,
  getKrStock,
  getKrStockHistory,
  getKrInvestorFlows,
  getKrDisclosures
] as const

/** Functions that import the handlers of the Korea tools, by tool name. */
export default {
  get_kimchi_premium: () => import("./getKimchiPremium.handler.ts"),
  get_kr_listings: () => import("./getKrListings.handler.ts"),
  get_kr_market: () => import("./getKrMarket.handler.ts"),
  get_kr_stock: () => import("./getKrStock.handler.ts"),
  get_kr_stock_history: () => import("./getKrStockHistory.handler.ts"),
  get_kr_investor_flows: () => import("./getKrInvestorFlows.handler.ts"),
  get_kr_disclosures: () => import("./getKrDisclosures.handler.ts")
} satisfies HandlersFrom<typeof koreaSpecifications>
