import { fundingZ, gammaFlip, gexProfile, liquidationPrice, maxPain, painByStrike } from "@tapeline/quant"
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

it("names the called function in the error of a shared check", () => {
  const chain = { strikes: [90, 100], callOi: [1, 2], putOi: [2, 1] }
  expect(() => painByStrike(chain, 0)).toThrow(/^painByStrike: multiplier /)
  expect(() => painByStrike({ ...chain, strikes: [100, 90] })).toThrow(/^painByStrike: strikes/)
  expect(() => maxPain({ ...chain, strikes: [100, 90] })).toThrow(/^maxPain: strikes/)
  expect(() => gammaFlip({ options: [], spot: 0 })).toThrow(/^gammaFlip: spot /)
  expect(() => gammaFlip({ options: [], spot: 1, points: 1 })).toThrow(/^gammaFlip: points /)
  expect(() => gexProfile({ options: [], spot: 0 })).toThrow(/^gexProfile: spot /)
})
