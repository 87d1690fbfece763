import { maxPain, smileSummary, strikeFromDelta } from "@tapeline/quant"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { assertHolds, assertNear, findCounterexample } from "./propertyTesting.ts"

const between = (min: number, max: number) => fc.double({ min, max, noNaN: true, noDefaultInfinity: true })
const log = (min: number, max: number) => between(Math.log(min), Math.log(max)).map(Math.exp)

it("includes a 25-delta strike that is the outermost quote", () => {
  expect(findCounterexample(
    2000,
    fc.property(
      log(0.01, 1e5),
      log(1 / 365, 2),
      log(0.1, 2),
      between(0.8, 1.3),
      between(0.8, 1.3),
      (forward, years, a, left, right) => {
        const p = a * left
        const c = a * right
        const low = strikeFromDelta({ forward, years, sigma: p, delta: -0.25, type: "put" })
        const high = strikeFromDelta({ forward, years, sigma: c, delta: 0.25, type: "call" })
        const smile = { forward, years, strikes: [low, forward, high], ivs: [p, a, c] }
        if (!(low < forward && forward < high)) return
        const summary = smileSummary(smile)
        assertNear("put", summary.put25 ?? NaN, p, 1e-9)
        assertNear("call", summary.call25 ?? NaN, c, 1e-9)
        assertNear("skew", summary.riskReversal25 ?? NaN, c - p, 1e-9)
      }
    )
  )).toBeUndefined()
})

it("detects ties of max pain for any strikes, and rounds no payout", () => {
  // The computed payouts at 0.1, 0.2 and 0.3 differ only by rounding. The exact slopes between these strikes are 0.
  const decimal = fc.array(fc.tuple(fc.integer({ min: 1, max: 60 }), fc.nat(3), fc.nat(3)), {
    minLength: 1,
    maxLength: 8
  }).map((list) => [...new Map(list.map((row) => [row[0], row])).values()].sort((a, b) => a[0] - b[0]))
  expect(findCounterexample(
    5000,
    fc.property(decimal, fc.constantFrom(0.1, 0.01, 0.05, 0.0025), (list, tick) => {
      const chain = (unit: number) => ({
        strikes: list.map((r) => r[0] * unit),
        callOi: list.map((r) => r[1]),
        putOi: list.map((r) => r[2])
      })
      const fullPain = maxPain(chain(1))
      const expectedPain = fullPain === null ? null : fullPain * tick
      assertHolds(maxPain(chain(tick)) === expectedPain, () => `${maxPain(chain(tick))} for ${expectedPain}`)
    })
  )).toBeUndefined()
  expect(maxPain({ strikes: [0.1, 0.2, 0.3], callOi: [1, 0, 0], putOi: [0, 0, 1] })).toBe(0.1)
  expect(maxPain({ strikes: [1, 2, 3], callOi: [0.1, 0.2, 0.3], putOi: [0.1, 0.2, 0.3] })).toBe(2)
})
