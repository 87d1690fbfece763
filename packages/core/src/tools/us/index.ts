import type { HandlersFrom } from "../../tool/implement.ts"
import { getUsMarket } from "./getUsMarket.ts"
import { getUsStock } from "./getUsStock.ts"
import { getUsStockHistory } from "./getUsStockHistory.ts"

export { getUsMarket, getUsStock, getUsStockHistory }

/** The area's specifications, in the order of the catalogue. */
export const usSpecifications = [
  getUsMarket,
  getUsStock,
  getUsStockHistory
] as const

/**
 * What answers them, by name. Modules that an engine loads when it is built: who reads the specifications gets no
 * handler. The default export, which `export *` passes over.
 */
export default {
  get_us_market: () => import("./getUsMarket.handler.ts"),
  get_us_stock: () => import("./getUsStock.handler.ts"),
  get_us_stock_history: () => import("./getUsStockHistory.handler.ts")
} satisfies HandlersFrom<typeof usSpecifications>
