import type { Liquidation } from "@tapeline/core/market"

/** One of a contract: price per unit of it, size in dollars and cents. */
export interface ContractLiquidation extends Liquidation {
  readonly symbol: string
}
