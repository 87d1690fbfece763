import { black76, black76Cross, probabilityAbove, probabilityOfProfit, structurePayoff } from "@tapeline/quant"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { assertNear, findCounterexample } from "./propertyTesting.ts"

const between = (min: number, max: number) => fc.double({ min, max, noNaN: true, noDefaultInfinity: true })

describe("vanna and charm", () => {
  it("are the derivatives of delta, for calls and puts", () => {
    const option = fc.record({
      forward: between(10, 1e5),
      moneyness: between(-2.5, 2.5),
      years: between(0.01, 2),
      sigma: between(0.1, 2),
      type: fc.constantFrom("call", "put")
    })
    expect(findCounterexample(
      5000,
      fc.property(option, ({ forward, moneyness, sigma, type, years }) => {
        const strike = forward * Math.exp(moneyness * sigma * Math.sqrt(years))
        const delta = (s: number, t: number) => black76({ forward, strike, years: t, sigma: s, type }).delta
        const { charm, vanna } = black76Cross({ forward, strike, years, sigma })
        const [ds, dt] = [1e-5 * sigma, 1e-5 * years]
        assertNear("vanna", vanna, (delta(sigma + ds, years) - delta(sigma - ds, years)) / (2 * ds), 1e-6, 1 / sigma)
        assertNear("charm", charm, (delta(sigma, years - dt) - delta(sigma, years + dt)) / (2 * dt), 1e-6, 1 / years)
      })
    )).toBeUndefined()
  })

  it("are 0 if delta is a step, and far from the strike", () => {
    const zeroCrossGreeks = { vanna: 0, charm: 0 }
    expect(black76Cross({ forward: 100, strike: 90, years: 0, sigma: 0.5 })).toEqual(zeroCrossGreeks)
    expect(black76Cross({ forward: 100, strike: 90, years: 1, sigma: 0 })).toEqual(zeroCrossGreeks)
    expect(black76Cross({ forward: 100, strike: 1e9, years: 1e-4, sigma: 0.05 })).toEqual(zeroCrossGreeks)
    expect(() => black76Cross({ forward: 0, strike: 90, years: 1, sigma: 0.5 })).toThrow(/forward/)
  })
})

describe("probability of profit", () => {
  it("is the probability of a payoff above 0", () => {
    const leg = fc.record({
      type: fc.constantFrom("call", "put"),
      strike: fc.integer({ min: 60, max: 140 }),
      qty: fc.constantFrom(-2, -1, 1, 2),
      premium: fc.integer({ min: 0, max: 2000 }).map((cents) => cents / 100)
    })
    expect(findCounterexample(
      300,
      fc.property(fc.array(leg, { minLength: 1, maxLength: 4 }), between(0.05, 0.6), (legs, sigmaT) => {
        const structure = structurePayoff(legs)
        const n = 4001
        let sum = 0
        for (let i = 0; i < n; i++) {
          const low = 100 * Math.exp(sigmaT * (-6 + (12 * i) / n))
          const high = 100 * Math.exp(sigmaT * (-6 + (12 * (i + 1)) / n))
          if (structure.payoff(Math.sqrt(low * high)) > 0) {
            sum += probabilityAbove(100, low, sigmaT) - probabilityAbove(100, high, sigmaT)
          }
        }
        assertNear("probability", probabilityOfProfit(structure, 100, sigmaT), sum, 5e-3, 1)
      })
    )).toBeUndefined()
  })

  it("excludes ranges with a payoff of 0, and is 1 for a structure that cannot lose", () => {
    const free = structurePayoff([{ type: "call", strike: 100 }, { type: "call", strike: 110, qty: -1 }])
    expect(probabilityOfProfit(free, 100, 0.1)).toBeCloseTo(0.5, 12)
    // In floating point, 0.1 + 0.2 - 0.3 is slightly above 0, although this structure can make no profit.
    const rounded = structurePayoff([
      { type: "call", strike: 100, premium: 0.1 },
      { type: "call", strike: 105, premium: 0.2 },
      { type: "call", strike: 110, qty: -1, premium: 0.3 }
    ])
    expect(probabilityOfProfit(rounded, 100, 0.1)).toBeCloseTo(0.5, 9)
    expect(probabilityOfProfit(structurePayoff([{ type: "put", strike: 1, qty: -1, premium: 2 }]), 100, 0.1)).toBe(1)
    expect(probabilityOfProfit(structurePayoff([{ type: "put", strike: 1, premium: 2 }]), 100, 0.1)).toBe(0)
  })
})
