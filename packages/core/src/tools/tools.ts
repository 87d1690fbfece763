import { getPriceTool } from "./crypto/getPrice.handler.ts"

/** Every tool with its handler, in the order of the catalogue. `Toolbox.layer(tools)` makes them ready. */
export const tools = [getPriceTool] as const
