import { liquidationPrice } from "@tapeline/quant/risk"
import type { Side } from "./records.ts"

/** The assumed maintenance margin: 0.5% of the notional, without a deduction. */
export const maintenance = { maintenanceRate: 0.005, maintenanceAmount: 0 } as const

/** An isolated position. Its wallet is the notional at the entry divided by the leverage. */
export interface Leveraged {
  readonly side: Side
  readonly entry: number | null
  readonly leverage: number | null
}

/** Returns the liquidation price. Null without an entry or a leverage, and for a fully paid long. */
export const liquidationOf = ({ entry, leverage, side }: Leveraged): number | null =>
  entry === null || leverage === null
    ? null
    // The price is the same for every size.
    : liquidationPrice({ side, entry, quantity: 1, wallet: entry / leverage, ...maintenance })

/** True when the position is liquidated before its stop is reached. */
export const isLiquidatedFirst = (side: Side, liquidation: number | null, stop: number | null): boolean =>
  liquidation !== null && stop !== null && (side === "long" ? liquidation >= stop : liquidation <= stop)
