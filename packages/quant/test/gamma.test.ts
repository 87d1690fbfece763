import { black76, gammaFlip, gexPer1Pct, gexProfile, type GexProfileInput } from "@tapeline/quant"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { assertHolds, assertNear, findCounterexample } from "./propertyTesting.ts"

const between = (min: number, max: number) => fc.double({ min, max, noNaN: true, noDefaultInfinity: true })
const options = fc.array(
  fc.record({
    type: fc.constantFrom("call", "put"),
    strike: between(70, 130),
    years: between(0.01, 1),
    sigma: between(0.2, 1.5),
    oi: fc.integer({ min: 0, max: 1000 }),
    forward: between(90, 115)
  }),
  { minLength: 1, maxLength: 8 }
)

/** Returns the exposure at a spot, by the chain rule: d2V/dS2 times S^2. All futures move in proportion to the spot. */
const exposureAt = ({ options, spot: now }: GexProfileInput, spot: number): number =>
  options.reduce((sum, { type, oi, forward = now, ...o }) => {
    const perSpot = forward / now
    const { gamma } = black76({ ...o, type, forward: spot * perSpot })
    return sum + (type === "call" ? 1 : -1) * oi * gamma * perSpot ** 2 * spot ** 2 * 0.01
  }, 0)

describe("gamma exposure", () => {
  it("is the second derivative of the book's value with respect to the spot", () => {
    expect(findCounterexample(
      1000,
      fc.property(options, between(85, 115), (list, spot) => {
        const now = 100
        const book = (s: number): number =>
          list.reduce(
            (sum, { forward, oi, ...o }) =>
              sum + (o.type === "call" ? 1 : -1) * oi * black76({ ...o, forward: (s * forward) / now }).price,
            0
          )
        const h = 0.05
        const second = (book(spot + h) - 2 * book(spot) + book(spot - h)) / (h * h)
        const scale = list.reduce((sum, { oi }) => sum + oi, 1) * spot * 0.05
        assertNear("profile", exposureAt({ options: list, spot: now }, spot), second * spot * spot * 0.01, 2e-2, scale)
        const { spots, gex } = gexProfile({ options: list, spot: now, from: spot / now, to: 1.3, points: 2 })
        assertNear("profile", gex[0]!, exposureAt({ options: list, spot: now }, spots[0]!), 1e-9, scale)
        const gammas = list.map(({ type, oi, forward, ...o }) => ({
          type,
          oi,
          forward,
          gamma: black76({ ...o, type, forward }).gamma
        }))
        assertNear(
          "now",
          gexPer1Pct({ options: gammas, spot: now }),
          exposureAt({ options: list, spot: now }, now),
          1e-12,
          scale
        )
      })
    )).toBeUndefined()
  })

  it("flips at the spot where its sign changes", () => {
    const leg = { years: 1, sigma: 0.5, oi: 10, forward: 105.5 }
    const book = {
      options: [{ type: "put", strike: 90, ...leg }, { type: "call", strike: 110, ...leg }],
      spot: 100
    } as const
    // At the flip, the two options have opposite values of d1, so F = sqrt(90 * 110) * exp(-v^2 / 2) and S = F / 1.055.
    expect(gammaFlip(book)).toBeCloseTo((Math.sqrt(9900) * Math.exp(-0.125)) / 1.055, 10)
    expect(gammaFlip(book)).toBeCloseTo(83.2, 1)
    expect(gammaFlip({ ...book, options: book.options.map((o) => ({ ...o, forward: undefined })) })).toBeCloseTo(
      87.8,
      1
    )
    expect(gammaFlip({ ...book, options: [book.options[0], { ...book.options[1], forward: 100 }] })).not.toBeCloseTo(
      83.2,
      1
    )
  })

  it("refines the flip to the last digits on any grid, and returns the nearest one", () => {
    expect(findCounterexample(
      2000,
      fc.property(options, fc.integer({ min: 20, max: 300 }), (list, points) => {
        const input = { options: list, spot: 100, points }
        const flip = gammaFlip(input)
        const { spots, gex } = gexProfile(input)
        const changes = Array.from(spots).flatMap((spot, j) =>
          j > 0 && gex[j - 1]! * gex[j]! < 0 ? [[spots[j - 1]!, spot] as const] : []
        )
        assertHolds((flip === null) === (changes.length === 0), () => `${flip} with ${changes.length} changes`)
        if (flip === null) return
        assertHolds(changes.some(([low, high]) => low <= flip && flip <= high), () => "outside every bracket")
        const nearest = Math.min(...changes.map(([low, high]) => (low > 100 ? low - 100 : high < 100 ? 100 - high : 0)))
        assertHolds(Math.abs(flip - 100) <= nearest + 40 / (points - 1), () => "a nearer flip was skipped")
        const sides = [flip * (1 - 1e-9), flip * (1 + 1e-9)].map((spot) => exposureAt(input, spot))
        const size = list.reduce((sum, { oi }) => sum + oi, 0)
        assertHolds(
          sides[0]! * sides[1]! <= 0 || Math.abs(sides[0]!) < 1e-12 * size,
          () => `${flip}: ${sides.join(", ")}`
        )
      })
    )).toBeUndefined()
  })

  it("has no flip if gamma vanishes or cancels", () => {
    const day = { years: 1 / 365, sigma: 0.08, oi: 10 }
    expect(gammaFlip({ options: [{ type: "call", strike: 100, ...day }], spot: 100 })).toBeNull()
    expect(gammaFlip({ options: [{ type: "put", strike: 100, ...day }], spot: 100 })).toBeNull()
    const distantOptions = [{ type: "put", strike: 50, ...day }, { type: "call", strike: 150, ...day }] as const
    expect(gammaFlip({ options: distantOptions, spot: 100, from: 0.4, to: 1.6 })).toBeNull()
    const straddle = [{ type: "put", strike: 100, ...day }, { type: "call", strike: 100, ...day }] as const
    expect(gammaFlip({ options: straddle, spot: 100 })).toBeNull()
    expect(gammaFlip({ options: [], spot: 100 })).toBeNull()
    const optionFields = { years: 0.1, sigma: 0.5, oi: 10 }
    const at = Math.sqrt(9900) * Math.exp(-0.0125)
    const legs = [{ type: "put", strike: 90, ...optionFields }, { type: "call", strike: 110, ...optionFields }] as const
    expect(gammaFlip({ options: legs, spot: at, points: 161 })).toBeCloseTo(at, 9)
    expect(() => gammaFlip({ options: [{ type: "call", strike: 1, ...day, forward: 0 }], spot: 1 })).toThrow(/forward/)
    expect(() => gexPer1Pct({ options: [{ type: "call", gamma: 1, oi: 1, forward: -1 }], spot: 1 })).toThrow(/forward/)
  })
})
