import type { ToolSpecification } from "../tool/specification.ts"
import { getIndicators } from "./crypto/getIndicators.ts"
import { getPrice } from "./crypto/getPrice.ts"
import { getPriceAt } from "./crypto/getPriceAt.ts"
import { getPriceHistory } from "./crypto/getPriceHistory.ts"
import { getUsStock } from "./us/getUsStock.ts"

/** Every tool's specification, in the order of the catalogue. Free of handlers, for browsers. */
export const specifications = [
  getPrice,
  getIndicators,
  getPriceAt,
  getPriceHistory,
  getUsStock
] as const satisfies ReadonlyArray<ToolSpecification>
