import { fundingZ, liquidationPrice } from "@tapeline/quant"
import { expect, it } from "vitest"

it("rejects the liquidation price of a position below its maintenance margin", () => {
  for (const side of ["long", "short"] as const) {
    const positionWithoutWallet = { side, entry: 100, quantity: 2, maintenanceRate: 0.01 }
    expect(() => liquidationPrice({ ...positionWithoutWallet, wallet: 1.9 })).toThrow(
      /below the maintenance margin at entry \(2\)/
    )
    expect(liquidationPrice({ ...positionWithoutWallet, wallet: 2 })).toBeCloseTo(100, 12)
    expect(liquidationPrice({ ...positionWithoutWallet, wallet: 1.9, maintenanceAmount: 0.5 })).not.toBeNull()
  }
})

it("rejects a funding window that is not a whole number of at least 2", () => {
  for (const window of [0, -5, 1, 1.5, NaN, Infinity]) {
    expect(() => fundingZ(1, [1, 2, 3], window)).toThrow(/fundingZ: window must be a whole number of at least 2/)
  }
})
