import type { Liquidation } from "@tapeline/core/market"

/** A liquidation of a contract: the price is per unit of the contract, the size in dollars with cents. */
export interface ContractLiquidation extends Liquidation {
  readonly symbol: string
}
