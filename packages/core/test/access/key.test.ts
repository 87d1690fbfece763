import { displayPrefix, generateKey, isWellFormedKey } from "@tapeline/core"
import * as fc from "fast-check"
import { expect, it } from "vitest"

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

it("generates distinct, well-formed keys", () => {
  const keys = new Set(Array.from({ length: 500 }, generateKey))
  expect(keys.size).toBe(500)
  for (const key of keys) {
    expect(key).toMatch(/^tl_live_[0-9A-Za-z]{38}$/)
    expect(isWellFormedKey(key)).toBe(true)
    expect(displayPrefix(key)).toBe(key.slice(0, 12))
  }
})

it("rejects a key if any single character is changed", () => {
  fc.assert(fc.property(fc.nat(37), fc.nat(60), (position, shift) => {
    const key = generateKey()
    const at = 8 + position
    const other = alphabet[(alphabet.indexOf(key[at]!) + 1 + shift) % 62]!
    expect(isWellFormedKey(key.slice(0, at) + other + key.slice(at + 1))).toBe(false)
  }))
})

it("rejects text that is not a key", () => {
  fc.assert(fc.property(fc.string(), (text) => {
    expect(isWellFormedKey(text)).toBe(false)
  }))
  expect(isWellFormedKey(`${generateKey()} `)).toBe(false)
  expect(isWellFormedKey(generateKey().toUpperCase())).toBe(false)
})

it("uses every base-62 digit about equally often", () => {
  const counts = new Map<string, number>()
  for (let i = 0; i < 2_000; i++) {
    for (const digit of generateKey().slice(8, 40)) counts.set(digit, (counts.get(digit) ?? 0) + 1)
  }
  const expected = (2_000 * 32) / 62
  const chiSquare = Array.from(alphabet).reduce(
    (sum, digit) => sum + ((counts.get(digit) ?? 0) - expected) ** 2 / expected,
    0
  )
  // With 61 degrees of freedom, a chi-squared value above 125 has a probability below one in a million.
  expect(chiSquare).toBeLessThan(125)
})
