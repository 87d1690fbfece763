import {
  black76,
  blackScholes,
  impliedVolatility,
  impliedVolatility76,
  ivAtDelta,
  ivAtMaturity,
  ivAtStrike,
  maxPain,
  painByStrike,
  strikeFromDelta,
  structureGreeks,
  structurePayoff,
  sviButterfly,
  sviCalendar,
  sviFit,
  sviVariance
} from "@tapeline/quant"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { assertHolds, assertNear, findCounterexample } from "./propertyTesting.ts"

const between = (min: number, max: number) => fc.double({ min, max, noNaN: true, noDefaultInfinity: true })
const log = (min: number, max: number) => between(Math.log(min), Math.log(max)).map(Math.exp)
const type = fc.constantFrom("call", "put")
const market = fc.record({
  spot: log(1e-4, 1e6),
  moneyness: between(-3, 3),
  years: log(1 / 8760, 3),
  rate: between(-0.05, 0.15),
  dividend: between(0, 0.1),
  sigma: log(0.05, 3)
}).map(({ moneyness, ...rest }) => ({
  ...rest,
  strike: rest.spot * Math.exp(moneyness * rest.sigma * Math.sqrt(rest.years))
}))

describe("Black-Scholes", () => {
  it("satisfies put-call parity", () => {
    expect(findCounterexample(
      20000,
      fc.property(market, (m) => {
        const call = blackScholes({ ...m, type: "call" })
        const put = blackScholes({ ...m, type: "put" })
        const carry = Math.exp(-m.dividend * m.years)
        const discount = Math.exp(-m.rate * m.years)
        const scale = m.spot + m.strike
        assertNear("price", call.price - put.price, m.spot * carry - m.strike * discount, 1e-14, scale * 4)
        assertNear("delta", call.delta - put.delta, carry, 1e-14)
        assertNear("gamma", call.gamma, put.gamma, 1e-14, 0)
        assertNear("vega", call.vega, put.vega, 1e-14, 0)
        assertNear("rho", call.rho - put.rho, m.years * m.strike * discount, 1e-13, scale)
        assertNear(
          "theta",
          call.theta - put.theta,
          m.dividend * m.spot * carry - m.rate * m.strike * discount,
          1e-12,
          scale
        )
      })
    )).toBeUndefined()
  })

  it("has greeks equal to the derivatives of the price", () => {
    expect(findCounterexample(
      10000,
      fc.property(market, type, (m, t) => {
        const at = (change: Partial<typeof m>): ReturnType<typeof blackScholes> =>
          blackScholes({ ...m, ...change, type: t })
        const greeks = at({})
        const v = m.sigma * Math.sqrt(m.years)
        /** The derivative by a central difference with one step of Richardson extrapolation. */
        const slope = (f: (x: number) => number, x: number, h: number): number => {
          const wide = (f(x + h) - f(x - h)) / (2 * h)
          const narrow = (f(x + h / 2) - f(x - h / 2)) / h
          return (4 * narrow - wide) / 3
        }
        const h = 0.02 * Math.min(v, 0.5)
        assertNear("delta", slope((spot) => at({ spot }).price, m.spot, m.spot * h), greeks.delta, 1e-6)
        assertNear(
          "gamma",
          slope((spot) => at({ spot }).delta, m.spot, m.spot * h),
          greeks.gamma,
          1e-5,
          1 / (m.spot * v)
        )
        assertNear(
          "vega",
          slope((sigma) => at({ sigma }).price, m.sigma, m.sigma * 0.02),
          greeks.vega,
          1e-5,
          m.spot * Math.sqrt(m.years)
        )
        assertNear(
          "rho",
          slope((rate) => at({ rate }).price, m.rate, Math.min(0.02, h / m.years)),
          greeks.rho,
          1e-5,
          m.strike * m.years
        )
        assertNear(
          "theta",
          -slope((years) => at({ years }).price, m.years, m.years * 0.02),
          greeks.theta,
          1e-5,
          (m.spot * v) / m.years + m.strike * 0.2
        )
      })
    )).toBeUndefined()
  })

  it("equals Black-76 with the forward carried at the rate", () => {
    expect(findCounterexample(
      5000,
      fc.property(market, type, (m, t) => {
        const future = black76({
          forward: m.spot,
          strike: m.strike,
          years: m.years,
          rate: m.rate,
          sigma: m.sigma,
          type: t
        })
        const spot = blackScholes({ ...m, dividend: m.rate, type: t })
        assertNear("price", future.price, spot.price, 1e-13, m.spot)
        assertNear("delta", future.delta, spot.delta, 1e-13)
        assertNear("gamma", future.gamma, spot.gamma, 1e-12, 0)
        assertNear("vega", future.vega, spot.vega, 1e-12, 0)
        assertNear("theta", future.theta, spot.theta, 1e-10, m.spot / m.years)
        const h = 1e-4 / (1 + m.years)
        const price = (rate: number): number =>
          black76({ forward: m.spot, strike: m.strike, years: m.years, rate, sigma: m.sigma, type: t }).price
        assertNear("rho", (price(m.rate + h) - price(m.rate - h)) / (2 * h), future.rho, 1e-6, m.spot * m.years)
      })
    )).toBeUndefined()
  })

  it("scales with the currency, and is bounded and monotone", () => {
    expect(findCounterexample(
      5000,
      fc.property(market, type, log(1e-3, 1e3), (m, t, k) => {
        const one = blackScholes({ ...m, type: t })
        const scaled = blackScholes({ ...m, spot: m.spot * k, strike: m.strike * k, type: t })
        assertNear("price", scaled.price / k, one.price, 1e-10, m.spot)
        assertNear("delta", scaled.delta, one.delta, 1e-9)
        const bound = t === "call" ? m.spot * Math.exp(-m.dividend * m.years) : m.strike * Math.exp(-m.rate * m.years)
        assertHolds(one.price >= 0 && one.price <= bound * (1 + 1e-14), () => `${one.price} beyond ${bound}`)
        assertHolds(
          blackScholes({ ...m, sigma: m.sigma * 1.1, type: t }).price >= one.price - 1e-14 * bound,
          () => "falls with sigma"
        )
      })
    )).toBeUndefined()
  })

  it("has defined limits, and rejects invalid input", () => {
    for (const t of ["call", "put"] as const) {
      const inTheMoneySpot = t === "call" ? 110 : 90
      expect(blackScholes({ spot: inTheMoneySpot, strike: 100, years: 0, rate: 0.05, sigma: 0.5, type: t }))
        .toEqual({ price: 10, delta: t === "call" ? 1 : -1, gamma: 0, vega: 0, theta: 0, rho: 0 })
      const intrinsicPrice = blackScholes({
        spot: inTheMoneySpot,
        strike: 100,
        years: 1,
        rate: 0.05,
        sigma: 0,
        type: t
      })
      expect(intrinsicPrice.price).toBeCloseTo(Math.abs(inTheMoneySpot - 100 * Math.exp(-0.05)), 12)
      expect([intrinsicPrice.gamma, intrinsicPrice.vega]).toEqual([0, 0])
      expect(Math.abs(blackScholes({ spot: 100, strike: 100, years: 0, sigma: 0.5, type: t }).delta)).toBe(0.5)
      expect(
        Object.values(blackScholes({ spot: 1, strike: 1e9, years: 0.01, sigma: 0.05, type: t })).every(Number.isFinite)
      ).toBe(true)
    }
    for (
      const bad of [{ spot: 0 }, { spot: NaN }, { strike: -1 }, { years: -1 }, { sigma: -0.1 }, { sigma: Infinity }, {
        rate: NaN
      }, { rate: -1e6 }]
    ) {
      expect(() => blackScholes({ spot: 100, strike: 100, years: 1, sigma: 0.5, type: "call", ...bad })).toThrow(
        RangeError
      )
    }
    // A caller that does not use TypeScript can pass a value that the type forbids.
    expect(() => blackScholes({ spot: 1, strike: 1, years: 1, sigma: 1, type: "straddle" as "call" })).toThrow(
      /type must be/
    )
  })
})

describe("implied volatility", () => {
  it("inverts the price over delta 0.01 to 0.99, 1 hour to 3 years, 5 % to 300 %", () => {
    const inputs = fc.record({
      spot: log(1e-4, 1e6),
      years: log(1 / 8760, 3),
      sigma: log(0.05, 3),
      delta: between(0.01, 0.99),
      rate: between(-0.05, 0.15),
      dividend: between(0, 0.1)
    })
    expect(findCounterexample(
      50000,
      fc.property(inputs, type, ({ delta, ...m }, t) => {
        const forward = m.spot * Math.exp((m.rate - m.dividend) * m.years)
        const strike = strikeFromDelta({ forward, years: m.years, sigma: m.sigma, delta, type: t })
        const { price, vega } = blackScholes({ ...m, strike, type: t })
        const iv = impliedVolatility({
          price,
          strike,
          spot: m.spot,
          years: m.years,
          rate: m.rate,
          dividend: m.dividend,
          type: t
        })
        assertHolds(iv !== null, () => "no volatility found")
        // The only permitted error is the rounding error of the price, divided by vega.
        const rounding = (16 * Number.EPSILON * (t === "call" ? m.spot : strike)) / (vega * m.sigma)
        assertNear("iv", iv! / m.sigma, 1, 1e-12 + rounding)
        // The rounding error is largest for a put with a strike of e^25 times the forward.
        assertHolds(rounding < 1e-2, () => `the price cannot carry its volatility: ${rounding}`)
      })
    )).toBeUndefined()
  })

  it("is null exactly if no volatility gives the price", () => {
    const base = { spot: 100, strike: 90, years: 0.5, type: "call" as const }
    expect(impliedVolatility({ ...base, price: 10 })).toBeNull()
    expect(impliedVolatility({ ...base, price: 9 })).toBeNull()
    expect(impliedVolatility({ ...base, price: 100 })).toBeNull()
    expect(impliedVolatility({ ...base, price: 11, years: 0 })).toBeNull()
    expect(impliedVolatility({ ...base, price: 99.9 })).toBeGreaterThan(3)
    expect(() => impliedVolatility({ ...base, price: NaN })).toThrow(RangeError)
    expect(impliedVolatility76({ price: 0, forward: 100, strike: 100, years: 1, type: "put" })).toBeNull()
  })
})

describe("smiles", () => {
  it("return the volatility at a delta, for the strike from strikeFromDelta", () => {
    expect(
      findCounterexample(
        5000,
        fc.property(
          log(0.01, 1e5),
          log(1 / 365, 3),
          log(0.05, 3),
          between(0.02, 0.98),
          type,
          (forward, years, sigma, size, t) => {
            const delta = t === "call" ? size : -size
            const strike = strikeFromDelta({ forward, years, sigma, delta, type: t })
            assertNear("delta", black76({ forward, strike, years, sigma, type: t }).delta, delta, 1e-12)
            const v = sigma * Math.sqrt(years)
            const strikes = Array.from({ length: 41 }, (_, i) => forward * Math.exp(((i - 20) / 6) * v + v * v / 2))
            const smile = { forward, years, strikes, ivs: strikes.map(() => sigma) }
            assertNear("ivAtDelta", ivAtDelta(smile, delta, t) ?? NaN, sigma, 1e-12)
            assertNear("ivAtStrike", ivAtStrike(smile, forward * Math.exp(v / 3)) ?? NaN, sigma, 1e-12)
          }
        )
      )
    ).toBeUndefined()
  })

  it("interpolate between neighbours, and are null beyond them", () => {
    const term = { days: [7, 30, 90], ivs: [60, 50, 55] }
    expect(findCounterexample(
      2000,
      fc.property(between(1, 120), (days) => {
        const iv = ivAtMaturity(term, days)
        assertHolds((iv === null) === (days < 7 || days > 90), () => `${days}: ${iv}`)
        if (iv !== null) assertHolds(iv >= 45 && iv <= 60, () => `${iv}`)
      })
    )).toBeUndefined()
    expect(ivAtMaturity(term, 30)).toBe(50)
    expect(() => ivAtMaturity({ days: [30, 7], ivs: [1, 1] }, 10)).toThrow(/ascend/)
    expect(() => ivAtStrike({ forward: 1, years: 1, strikes: [2, 1], ivs: [1, 1] }, 1)).toThrow(/ascend/)
  })
})

describe("max pain", () => {
  const chain = fc.array(fc.tuple(fc.integer({ min: 1, max: 500 }), fc.nat(1000), fc.nat(1000)), {
    minLength: 1,
    maxLength: 30
  }).map((rows) => {
    const unique = [...new Map(rows.map((row) => [row[0], row])).values()].sort((a, b) => a[0] - b[0])
    return { strikes: unique.map((r) => r[0]), callOi: unique.map((r) => r[1]), putOi: unique.map((r) => r[2]) }
  })

  it("is the strike of the smallest payout; at a tie, the lowest strike or the nearest to a price", () => {
    expect(findCounterexample(
      3000,
      fc.property(chain, between(1, 500), (c, price) => {
        const brute = c.strikes.map((s) =>
          c.strikes.reduce((sum, k, i) => sum + c.callOi[i]! * Math.max(0, s - k) + c.putOi[i]! * Math.max(0, k - s), 0)
        )
        const pains = painByStrike(c)
        brute.forEach((value, i) => assertNear(`pain ${i}`, pains[i]!, value, 1e-12))
        const total = c.callOi.concat(c.putOi).reduce((a, b) => a + b, 0)
        const expectedStrike = total === 0 ? null : c.strikes[brute.indexOf(Math.min(...brute))]!
        assertHolds(maxPain(c) === expectedStrike, () => `${maxPain(c)} for ${expectedStrike}`)
        const minPain = Math.min(...brute)
        const distance = (i: number) => Math.abs(c.strikes[i]! - price)
        const tiedIndexes = brute.flatMap((value, i) => value === minPain ? [i] : [])
        const nearest = total === 0 ? null : c.strikes[tiedIndexes.reduce((a, b) => distance(b) < distance(a) ? b : a)]!
        assertHolds(maxPain(c, price) === nearest, () => `${maxPain(c, price)} near ${price} for ${nearest}`)
      })
    )).toBeUndefined()
    const chainWithTie = { strikes: [90, 100, 110], callOi: [5, 0, 0], putOi: [0, 0, 5] }
    expect([maxPain(chainWithTie), maxPain(chainWithTie, 80), maxPain(chainWithTie, 101), maxPain(chainWithTie, 500)])
      .toEqual([90, 90, 100, 110])
    expect(maxPain({ strikes: [], callOi: [], putOi: [] })).toBeNull()
    expect(() => maxPain({ strikes: [2, 1], callOi: [1, 1], putOi: [1, 1] })).toThrow(/ascend/)
  })
})

describe("option structures", () => {
  const leg = fc.record({
    type: fc.constantFrom("call", "put", "underlying"),
    strike: fc.integer({ min: 1, max: 200 }),
    qty: fc.integer({ min: -5, max: 5 }),
    premium: fc.double({ min: 0, max: 50, noNaN: true })
  })

  it("have break-evens at the roots, a constant sign between them, and tight bounds", () => {
    expect(findCounterexample(
      10000,
      fc.property(fc.array(leg, { minLength: 1, maxLength: 8 }), (legs) => {
        const { breakEvens, maxProfit, maxLoss, payoff, notes } = structurePayoff(legs, { multiplier: 10 })
        const size = legs.reduce((sum, l) => sum + 10 * Math.abs(l.qty) * (l.strike + l.premium), 1)
        for (const root of breakEvens) assertNear(`payoff at ${root}`, payoff(root), 0, 1e-9, size + root * 400)
        const edges = [0, ...breakEvens, (breakEvens.at(-1) ?? 200) * 2 + 500]
        for (let i = 1; i < edges.length; i++) {
          const samples = [0.1, 0.37, 0.5, 0.81, 0.97].map((share) =>
            payoff(edges[i - 1]! + (edges[i]! - edges[i - 1]!) * share)
          )
          assertHolds(
            !(samples.some((x) => x > 1e-6 * size) && samples.some((x) => x < -1e-6 * size)),
            () => `a root is missing after ${edges[i - 1]}`
          )
        }
        const grid = [0, ...Array.from({ length: 100 }, (_, i) => i * 7), ...legs.map((l) => l.strike)].map(payoff)
        if (maxProfit === null) assertHolds(payoff(1e9) > 1e8 && notes.length === 1, () => "bounded profit")
        else {
          assertHolds(Math.max(...grid) <= maxProfit + 1e-9 * size, () => "profit passed")
          assertHolds(grid.some((x) => Math.abs(x - maxProfit) <= 1e-9 * size), () => "profit not reached")
        }
        if (maxLoss === null) assertHolds(payoff(1e9) < -1e8, () => "bounded loss")
        else assertHolds(Math.min(...grid) >= maxLoss - 1e-9 * size, () => "loss passed")
      })
    )).toBeUndefined()
  })

  it("accept a side or a sign and qty or quantity, and report errors", () => {
    const unitPayoff = structurePayoff([{ type: "put", strike: 100, qty: -2, premium: 5 }])
    const sidedPayoff = structurePayoff([{ type: "put", strike: 100, side: "sell", quantity: 2, premium: 5 }])
    expect(sidedPayoff.breakEvens).toEqual(unitPayoff.breakEvens)
    expect([unitPayoff.maxProfit, unitPayoff.maxLoss, unitPayoff.cost]).toEqual([10, -190, -10])
    expect(() => structurePayoff([])).toThrow(/leg/)
    expect(() => structurePayoff([{ type: "call", premium: 1 }])).toThrow(/strike/)
    expect(() => structurePayoff([{ type: "call", strike: 1, side: "sell", qty: -1 }])).toThrow(/side/)
    const spread = structurePayoff([{ type: "call", strike: 100 }, { type: "call", strike: 110, qty: -1 }])
    expect(spread.breakEvens).toEqual([100])
  })

  it("have greeks that add up", () => {
    const legs = [{ type: "call" as const, strike: 100, years: 0.2, sigma: 0.5, qty: 2 }, {
      type: "put" as const,
      strike: 90,
      years: 0.2,
      sigma: 0.6,
      side: "short" as const
    }]
    const call = black76({ forward: 95, ...legs[0]! })
    const put = black76({ forward: 95, ...legs[1]! })
    expect(structureGreeks(legs, { forward: 95, multiplier: 10 }).vega).toBeCloseTo(10 * (2 * call.vega - put.vega), 10)
  })
})

describe("SVI", () => {
  it("fits slices of SVI shape without butterfly arbitrage", () => {
    const slice = fc.record({
      level: between(0.3, 1),
      years: between(0.02, 1),
      slope: between(0.05, 0.3),
      rho: between(-0.8, 0.6),
      m: between(-0.05, 0.05),
      width: between(0.05, 0.35)
    })
    expect(findCounterexample(
      500,
      fc.property(slice, ({ level, years, slope, rho, m, width }) => {
        const v = level * Math.sqrt(years)
        const exactSmile = { a: v * v * 0.5, b: slope * v, rho, m, sigma: width }
        if (!sviButterfly(exactSmile).arbitrageFree) return
        const k = Array.from({ length: 15 }, (_, j) => ((j - 7) * v) / 3)
        const fit = sviFit({ k, ivs: k.map((x) => Math.sqrt(sviVariance(exactSmile, x) / years)), years })!
        assertHolds(fit.rmse < 2e-4, () => `rmse ${fit.rmse}`)
        assertHolds(fit.arbitrageFree, () => `min g ${fit.minG}`)
      })
    )).toBeUndefined()
  })

  it("repairs Vogt's slice, and detects crossing slices", () => {
    const vogt = { a: -0.041, b: 0.1331, rho: 0.306, m: 0.3586, sigma: 0.4153 }
    const k = Array.from({ length: 31 }, (_, j) => -1.5 + j * 0.1)
    const fit = sviFit({ k, ivs: k.map((x) => Math.sqrt(sviVariance(vogt, x))), years: 1 })!
    expect(sviButterfly(vogt).arbitrageFree).toBe(false)
    expect(fit.arbitrageFree).toBe(true)
    expect(fit.rmse).toBeLessThan(0.01)
    expect(sviCalendar([fit.parameters, { ...fit.parameters, rho: -0.5 }]).arbitrageFree).toBe(false)
    const flat = sviFit({ k: [-0.2, -0.1, 0, 0.1, 0.2], ivs: [0.5, 0.5, 0.5, 0.5, 0.5], years: 0.1 })!
    expect(flat.rmse).toBeLessThan(1e-3)
  })
})
