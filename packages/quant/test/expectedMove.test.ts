import { expectedMovePct, normalDraw, normalPdf, seededRandom } from "@tapeline/quant"
import { expect, it } from "vitest"
import { assertNear, scaleRuns, seed } from "./propertyTesting.ts"

it("the expected move equals the mean move by quadrature, by its small limit and by simulation", () => {
  for (const v of [1e-6, 1e-3, 0.05, 0.3, 0.499, 0.501, 1, 2.5]) {
    // The integral over z by Simpson's rule, within 12 + v deviations, with a node at the kink at z = 0.
    const reach = 12 + v
    const steps = 4000
    let sum = 0
    for (let j = 0; j <= steps; j++) {
      const z = -reach + (2 * reach * j) / steps
      const weight = j === 0 || j === steps ? 1 : j % 2 === 1 ? 4 : 2
      sum += weight * Math.abs(Math.expm1(v * z)) * normalPdf(z)
    }
    assertNear("quadrature", expectedMovePct(v), (100 * sum * 2 * reach) / (3 * steps), 1e-5, 0)
  }
  assertNear("small", expectedMovePct(1e-8), 100 * 1e-8 * Math.sqrt(2 / Math.PI), 1e-12, 0)
  expect(expectedMovePct(0)).toBe(0)
  expect(() => expectedMovePct(38)).toThrow(/0 to 37/)
  const random = seededRandom(seed)
  const v = 0.4
  let total = 0
  let squares = 0
  const n = scaleRuns(1_000_000)
  for (let i = 0; i < n; i++) {
    const move = 100 * Math.abs(Math.expm1(v * normalDraw(random)))
    total += move
    squares += move * move
  }
  const error = Math.sqrt((squares / n - (total / n) ** 2) / n)
  expect(Math.abs(total / n - expectedMovePct(v))).toBeLessThan(5 * error)
})
