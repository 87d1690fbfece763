import type { OptionExpiry, OptionQuote } from "@tapeline/core"
import { expect, test } from "vitest"
import { getMaxPain } from "../../src/analysis/options/exposure.ts"

const quote = (type: "call" | "put", strike: number, openInterest: number | null): OptionQuote => ({
  instrument: `${strike}${type}`,
  type,
  strike,
  bid: null,
  ask: null,
  mark: null,
  ivPct: null,
  openInterest,
  volume24h: null
})

/**
 * An expiry with open calls at 158 and open puts at 163. All strikes from 158 to 163 pay the holders the same amount.
 */
const expiryOf = (forward: number | null, between: number | null): OptionExpiry => ({
  expiryAt: Date.UTC(2026, 11, 31),
  forward,
  discount: 1,
  exercise: "american",
  quotes: [
    quote("call", 158, 5),
    quote("put", 158, 0),
    ...[159, 160, 161, 162].flatMap((strike) => [quote("call", strike, between), quote("put", strike, between)]),
    quote("call", 163, 0),
    quote("put", 163, 5)
  ]
})

test.each([
  ["the strike nearest to the forward, though nothing is held there", 160.13, 0, 160],
  ["the strike nearest to the forward, though its open interest is unknown", 161.7, null, 162],
  ["the lowest of the tied strikes for a lower forward", 150, 0, 158],
  ["the highest of the tied strikes for a higher forward", 170, 0, 163],
  ["the strike nearest to the spot without a forward", null, 0, 161]
])("max pain is %s", (_, forward, between, expected) => {
  expect(getMaxPain(expiryOf(forward, between), 161.2)).toBe(expected)
})

test("max pain is null if nothing is held or listed", () => {
  const expiry = expiryOf(160, 0)
  expect(getMaxPain({ ...expiry, quotes: [quote("call", 158, 0), quote("put", 158, null)] }, 160)).toBeNull()
  expect(getMaxPain({ ...expiry, quotes: [] }, 160)).toBeNull()
})
