import { expect, it } from "vitest"
import { longestStallMs } from "../src/recovery/recovery.ts"

it("measures from a fault to the next event, only while the answer is open", () => {
  expect(longestStallMs([10, 20, 90, 100], [25])).toBe(65)
  expect(longestStallMs([10, 20, 90, 100], [25, 95])).toBe(65)
  expect(longestStallMs([10, 20], [5, 20, 30])).toBe(null)
  expect(longestStallMs([10, 20], [])).toBe(null)
  expect(longestStallMs([10, 500], [11])).toBe(489)
})
