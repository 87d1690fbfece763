import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { monthOf } from "../../src/engine/credits/month.ts"
import { formatInstant } from "../../src/engine/tool/result.ts"

const day = 86_400_000
const times = fc.oneof(
  fc.maxSafeInteger().map((time) => time % (100_000_000 * day)),
  // Times close to each other, and times around the ends of months and of years with four digits.
  fc.tuple(
    fc.constantFrom(0, Date.UTC(2026, 11, 1), Date.UTC(2024, 2, 1), Date.UTC(10_000, 0)),
    fc.integer({
      min: -2 * day,
      max: 2 * day
    })
  ).map(([time, timeWithFraction]) => time + timeWithFraction),
  fc.double({ min: 0, max: 1e13, noNaN: true })
)

describe("instants", () => {
  it("are formatted like dates, independently of earlier calls", () => {
    fc.assert(fc.property(fc.array(times, { minLength: 1 }), (times) => {
      for (const time of times) expect(formatInstant(time)).toBe(new Date(time).toISOString())
    }))
    for (const time of [NaN, Infinity, 9e15]) expect(() => formatInstant(time)).toThrow(RangeError)
  })

  it("belong to the same months as dates", () => {
    const inYears = times.filter((time) => time >= Date.UTC(0, 0) && time < Date.UTC(10_000, 0))
    fc.assert(fc.property(fc.array(inYears, { minLength: 1 }), (times) => {
      for (const time of times) expect(monthOf(time)).toBe(new Date(time).toISOString().slice(0, 7))
    }))
  })
})
