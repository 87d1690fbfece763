import { expect, it } from "vitest"
import { stallOf } from "../src/recovery/recovery.ts"

it("measures from a fault to the next event, only while the answer is open", () => {
  expect(stallOf([10, 20, 90, 100], [25])).toBe(65)
  expect(stallOf([10, 20, 90, 100], [25, 95])).toBe(65)
  expect(stallOf([10, 20], [5, 20, 30])).toBe(null)
  expect(stallOf([10, 20], [])).toBe(null)
  // The question is the first event.
  expect(stallOf([10, 500], [11])).toBe(489)
})
