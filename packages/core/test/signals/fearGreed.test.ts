import { assert, describe, it } from "@effect/vitest"
import {
  type Candle,
  computeFearGreedDays,
  dayMs,
  fearGreedComponents,
  type FearGreedMarket,
  type FundingPayment,
  hourMs
} from "@tapeline/core"
import * as fc from "fast-check"
import { firstCandleTime } from "./candles.ts"

const days = (closes: ReadonlyArray<number>, quoteVolume: (i: number) => number = () => 1e6): ReadonlyArray<Candle> =>
  closes.map((close, i) => ({
    time: firstCandleTime + i * dayMs,
    open: closes[i - 1] ?? close,
    high: close * 1.01,
    low: close * 0.99,
    close,
    volume: 1,
    quoteVolume: quoteVolume(i),
    takerBuyVolume: 0.5,
    closed: true
  }))

const payments = (count: number, rate: (i: number) => number): ReadonlyArray<FundingPayment> =>
  Array.from({ length: count }, (_, i) => ({
    time: firstCandleTime + (i + 1) * 8 * hourMs,
    fundingRate: rate(i),
    intervalHours: 8
  }))

const indexOf = (name: string): number => fearGreedComponents.findIndex((component) => component.name === name)

describe("fear and greed", () => {
  it("has weights that add up to 1", () => {
    assert.closeTo(fearGreedComponents.reduce((sum, { weight }) => sum + weight, 0), 1, 1e-12)
  })

  it("has the hand-computed components", () => {
    // The log returns alternate between +1 % and -1 %, so 90 returns have the mean 0 and the sample deviation 0.01
    // sqrt(90 / 89).
    const steps = Array.from({ length: 100 }, (_, i) => i % 2 === 0 ? 0 : 0.01)
    const btc = days(steps.map((log) => 100 * Math.exp(log)))
    const risingDays = days(Array.from({ length: 100 }, (_, i) => 10 + i))
    const fallingDays = days(Array.from({ length: 100 }, (_, i) => 200 - i))
    const day = computeFearGreedDays({
      btc,
      others: [risingDays, risingDays, risingDays, fallingDays, fallingDays],
      fundingPayments: payments(300, (i) => i < 291 ? (i % 2 === 0 ? 0 : 2e-4) : 3e-4),
      social: [{ time: firstCandleTime + 99 * dayMs, mentions: 1, authors: 1, sentiment: 0.5 }]
    }, firstCandleTime + 99 * dayMs)[0]!
    assert.strictEqual(day.time, firstCandleTime + 100 * dayMs)
    assert.strictEqual(day.coverage, 1)
    const component = (name: string): number => day.components[indexOf(name)]!
    assert.closeTo(component("volatility"), 50 - 50 * Math.tanh(Math.log(Math.sqrt((14 / 13) / (90 / 89)))), 1e-9)
    assert.closeTo(component("momentum"), 50, 1e-9)
    assert.closeTo(component("breadth"), 60, 1e-12)
    assert.closeTo(component("social"), 75, 1e-12)
    // Over seven days, the returns add up to +1 %, which is divided by sd sqrt(7). The volume component has two thirds
    // of its full effect.
    const sd = 0.01 * Math.sqrt(90 / 89)
    assert.closeTo(component("volume"), 50 + 50 * Math.tanh(0.01 / (sd * Math.sqrt(7))) / 1.5, 1e-9)
    // The median price of the coins rose from 79 to 109.
    assert.closeTo(component("dominance"), 50 + 50 * Math.tanh(Math.log(109 / 79) / (sd * Math.sqrt(30))), 1e-9)
    // The last nine payments are 3 basis points. The 90 payments before have the mean 1 and the sample deviation
    // sqrt(90 / 89).
    assert.closeTo(component("funding"), 50 + 50 * Math.tanh(2 / Math.sqrt(90 / 89) / 2), 1e-9)
    const value = fearGreedComponents.reduce((sum, { weight }, i) => sum + weight * day.components[i]!, 0)
    assert.closeTo(day.value, value, 0.51e-4)
  })

  it("requires five coins besides BTC for breadth and dominance, and says so in the formulas", () => {
    const btc = days(Array.from({ length: 100 }, (_, i) => 100 * Math.exp(0.03 * Math.sin(i))))
    const peer = days(Array.from({ length: 100 }, (_, i) => 10 + i))
    for (const [count, expectedLabel] of [[4, false], [5, true]] as const) {
      const others = Array.from({ length: count }, () => peer)
      const [day] = computeFearGreedDays({ btc, others, fundingPayments: [], social: [] }, firstCandleTime + 99 * dayMs)
      for (const name of ["breadth", "dominance"]) {
        assert.strictEqual(day!.components[indexOf(name)] !== null, expectedLabel)
        assert.include(fearGreedComponents[indexOf(name)]!.about, "at least 5")
      }
    }
  })

  it("has null for a missing component, which lowers the coverage, not the index", () => {
    const btc = days(Array.from({ length: 100 }, (_, i) => 100 * Math.exp(0.02 * i + 0.03 * Math.sin(i))))
    const [day] = computeFearGreedDays(
      { btc, others: [], fundingPayments: [], social: [] },
      firstCandleTime + 99 * dayMs
    )
    assert.deepStrictEqual(
      ["breadth", "dominance", "funding", "social"].map((name) => day!.components[indexOf(name)]),
      [null, null, null, null]
    )
    assert.closeTo(day!.coverage, 0.6, 1e-12)
    assert.isAbove(day!.value, 60)
    assert.deepStrictEqual(
      computeFearGreedDays({ btc: days([1, 2, 3]), others: [], fundingPayments: [], social: [] }, firstCandleTime),
      []
    )
  })

  it("stays within 0 and 100, and past days do not depend on later days", () => {
    const walkArbitrary = fc.array(fc.double({ min: -0.1, max: 0.1, noNaN: true }), { minLength: 120, maxLength: 120 })
      .map(
        (steps) => {
          let price = 100
          return days(steps.map((step) => price *= 1 + step), (i) => 1e6 * (1 + Math.abs(steps[i]!)))
        }
      )
    fc.assert(
      fc.property(
        fc.array(walkArbitrary, { minLength: 7, maxLength: 7 }),
        fc.integer({ min: 95, max: 118 }),
        ([btc, ...others], known) => {
          const market: FearGreedMarket = {
            btc: btc!,
            others,
            fundingPayments: payments(360, (i) => 1e-4 * Math.sin(i)),
            social: btc!.map(({ time }, i) => ({ time, mentions: 1, authors: 1, sentiment: Math.sin(i) }))
          }
          const end = firstCandleTime + known * dayMs
          const earlierMarket: FearGreedMarket = {
            btc: btc!.slice(0, known),
            others: others.map((candles) => candles.slice(0, known)),
            fundingPayments: market.fundingPayments.filter(({ time }) => time <= end),
            social: market.social.slice(0, known)
          }
          const allDays = computeFearGreedDays(market, firstCandleTime)
          assert.deepStrictEqual(
            allDays.filter(({ time }) => time <= end),
            computeFearGreedDays(earlierMarket, firstCandleTime)
          )
          for (const { components, value } of allDays) {
            assert.isTrue(value >= 0 && value <= 100)
            for (const component of components) {
              assert.isTrue(
                component === null || (component >= 0 && component <= 100)
              )
            }
          }
        }
      ),
      { numRuns: 20 }
    )
  })
})
