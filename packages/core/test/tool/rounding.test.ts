import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { roundParts, roundToDecimals, roundToDigits } from "../../src/engine/tool/rounding.ts"

const numbers = fc.double({ min: -1e9, max: 1e9, noNaN: true })

describe("rounding", () => {
  it("removes the noise of binary fractions", () => {
    expect(roundToDigits(12)(4_353_577_179_000.0005)).toBe(4_353_577_179_000)
    expect(roundToDigits(12)(0.1 + 0.2)).toBe(0.3)
    expect(roundToDecimals(4)(-1.2678706716248045)).toBe(-1.2679)
    expect(roundToDecimals(4)(1.00005)).toBe(1.0001)
    expect(Object.is(roundToDecimals(4)(-0.00001), 0)).toBe(true)
    expect(Object.is(roundToDigits(8)(-0), 0)).toBe(true)
    expect(roundToDecimals(4)(1e300)).toBe(1e300)
  })

  it("keeps the digits that toPrecision writes", () => {
    const decimalParts = fc.tuple(
      fc.integer({ min: -10_000_000_000, max: 10_000_000_000 }),
      fc.integer({ min: 0, max: 8 })
    )
    const asWritten = decimalParts.map(([digits, scale]) => digits / 10 ** scale)
    fc.assert(fc.property(fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), asWritten), (value) => {
      for (const count of [1, 8, 12, 15]) {
        expect(roundToDigits(count)(value)).toBe(Number(value.toPrecision(count)) || 0)
      }
    }))
  })

  it("is off by at most half a unit, idempotent, and symmetric in sign", () => {
    fc.assert(fc.property(numbers, fc.integer({ min: 0, max: 6 }), (value, count) => {
      const round = roundToDecimals(count)
      expect(Math.abs(round(value) - value)).toBeLessThanOrEqual(0.5 * 10 ** -count + 1e-7)
      expect(round(round(value))).toBe(round(value))
      expect(round(-value)).toBe(-round(value) || 0)
    }))
  })

  it("rounds parts to the rounded total, each off by less than a unit for each part", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -100, max: 100, noNaN: true }), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 0, max: 6 }),
        (values, count) => {
          const total = values.reduce((sum, value) => sum + value, 0)
          const roundedParts = roundParts(values, total, count)
          const round = roundToDecimals(count)
          expect(round(roundedParts.reduce((sum, value) => sum + value, 0))).toBe(round(total))
          for (const [i, value] of roundedParts.entries()) {
            expect(round(value)).toBe(value)
            expect(Math.abs(value - values[i]!)).toBeLessThanOrEqual(values.length * 10 ** -count + 1e-9)
          }
        }
      )
    )
    expect(roundParts([], 0, 4)).toEqual([])
  })
})
