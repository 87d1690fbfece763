import type { EquityMarket } from "./EquityMarket.ts"
import type { StockSpec } from "./stockSpec.ts"

/** A stock with its market. */
export interface StockWithMarket {
  readonly spec: StockSpec
  readonly market: EquityMarket
}
