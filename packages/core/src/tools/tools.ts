import { getIndicatorsTool } from "./crypto/getIndicators.handler.ts"
import { getPriceTool } from "./crypto/getPrice.handler.ts"
import { getPriceAtTool } from "./crypto/getPriceAt.handler.ts"
import { getPriceHistoryTool } from "./crypto/getPriceHistory.handler.ts"
import { getUsStockTool } from "./us/getUsStock.handler.ts"

/** Every tool with its handler, in the order of the catalogue. `Toolbox.layer(tools)` makes them ready. */
export const tools = [getPriceTool, getIndicatorsTool, getPriceAtTool, getPriceHistoryTool, getUsStockTool] as const
