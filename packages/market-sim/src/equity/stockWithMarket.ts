import type { EquityMarket } from "./EquityMarket.ts"
import type { StockSpec } from "./stockSpec.ts"

export interface StockWithMarket {
  readonly spec: StockSpec
  readonly market: EquityMarket
}
