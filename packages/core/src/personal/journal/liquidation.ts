import { liquidationPrice } from "@tapeline/quant/risk"
import type { Side } from "./records.ts"

/** The maintenance margin that liquidation is told by: half a percent of the notional, and no amount off it. */
export const maintenance = { maintenanceRate: 0.005, maintenanceAmount: 0 } as const

/** A position as its liquidation is told: isolated, its wallet the notional at the entry over the leverage. */
export interface Leveraged {
  readonly side: Side
  readonly entry: number | null
  readonly leverage: number | null
}

/** Where it is liquidated. Null without an entry or a leverage, and of a long that is fully paid. */
export const liquidationOf = ({ entry, leverage, side }: Leveraged): number | null =>
  entry === null || leverage === null
    ? null
    // It is the same for every size.
    : liquidationPrice({ side, entry, quantity: 1, wallet: entry / leverage, ...maintenance })

/** True when the position is liquidated before its stop is reached. */
export const isLiquidatedFirst = (side: Side, liquidation: number | null, stop: number | null): boolean =>
  liquidation !== null && stop !== null && (side === "long" ? liquidation >= stop : liquidation <= stop)
