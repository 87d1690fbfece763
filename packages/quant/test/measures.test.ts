import {
  binaryEv,
  brier,
  cagr,
  calmar,
  compositeScore,
  deflatedSharpe,
  expectancy,
  expectedBestSharpe,
  hitRate,
  kimchiPremium,
  liquidationPrice,
  liquidationSkew,
  maxDrawdown,
  monteCarlo,
  normalDraw,
  openInterestChange,
  positionSize,
  probabilityAbove,
  probabilityTouch,
  profitFactor,
  putCallRatio,
  returnShape,
  rMultiple,
  seededRandom,
  sharpe,
  sortino,
  stationaryBootstrap,
  takerBuyShare,
  valueAtRisk,
  walkForward,
  wilson,
  winRate
} from "@tapeline/quant"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { assertHolds, assertNear, findCounterexample, scaleRuns, seed } from "./propertyTesting.ts"

const between = (min: number, max: number) => fc.double({ min, max, noNaN: true, noDefaultInfinity: true })
/**
 * Generates returns that are multiples of 0.001. The squares of much smaller returns would underflow and violate the
 * tested properties.
 */
const thousandths = (limit: number) => fc.integer({ min: -limit, max: limit }).map((x) => x / 1000)
const returns = fc.array(thousandths(500), { minLength: 2, maxLength: 100 })

describe("probability", () => {
  it("is monotone in the level, symmetric in logs, and at least as high for a touch as for the end", () => {
    expect(
      findCounterexample(
        10000,
        fc.property(between(1, 1e5), between(-2, 2), between(0, 0.5), between(1e-3, 2), (spot, log, step, v) => {
          const level = spot * Math.exp(log * v)
          const above = probabilityAbove(spot, level, v)
          const touchProbability = probabilityTouch(spot, level, v)
          assertHolds(
            above >= 0 && above <= 1 && touchProbability >= 0 && touchProbability <= 1,
            () => `${above}, ${touchProbability}`
          )
          assertHolds(probabilityAbove(spot, level * (1 + step), v) <= above, () => "above rises with the level")
          assertHolds(touchProbability >= (level >= spot ? above : 1 - above) * (1 - 1e-14), () => "touch below above")
          if (level > spot) {
            assertHolds(
              probabilityTouch(spot, level * (1 + step), v) <= touchProbability,
              () => "touch rises with distance"
            )
          }
          assertNear("mirror", probabilityAbove(level, spot, v), 1 - above, 1e-12)
          assertHolds(touchProbability <= probabilityTouch(spot, level, v * 1.5), () => "touch falls with volatility")
        })
      )
    ).toBeUndefined()
    expect(probabilityAbove(100, 100, 0.3)).toBe(0.5)
    expect([probabilityAbove(101, 100, 0), probabilityAbove(99, 100, 0), probabilityAbove(100, 100, 0)]).toEqual([
      1,
      0,
      0.5
    ])
    expect([probabilityTouch(100, 100, 0), probabilityTouch(100, 101, 0)]).toEqual([1, 0])
    expect(() => probabilityAbove(0, 1, 1)).toThrow(/spot/)
    expect(() => probabilityTouch(1, 1, NaN)).toThrow(/sigmaT/)
  })

  it("matches a simulated walk for a touch", () => {
    const random = seededRandom(seed)
    const steps = 250
    let touchCount = 0
    const paths = scaleRuns(20_000)
    for (let path = 0; path < paths; path++) {
      let x = 0
      for (let i = 0; i < steps; i++) {
        x += (normalDraw(random) * 0.05) / Math.sqrt(steps)
        if (x >= Math.log(1.05)) {
          touchCount++
          break
        }
      }
    }
    // The simulation checks only 250 steps, so it counts about 4 % fewer touches than a continuous path has.
    const p = probabilityTouch(100, 105, 0.05)
    expect(touchCount / paths).toBeGreaterThan(p * 0.9 - 4 * Math.sqrt(p / paths))
    expect(touchCount / paths).toBeLessThan(p + 4 * Math.sqrt(p / paths))
  })

  it("has a Wilson interval that contains the rate, narrows with n, and mirrors", () => {
    expect(findCounterexample(
      3000,
      fc.property(fc.nat(500), fc.nat(500), (a, b) => {
        const k = Math.min(a, b)
        const n = Math.max(a, b)
        const [low, high] = wilson(k, n)
        assertHolds(low >= 0 && high <= 1 && low <= high, () => `${low}, ${high}`)
        if (n === 0) return
        assertHolds(low <= k / n && k / n <= high, () => "rate outside")
        const [otherLow, otherHigh] = wilson(n - k, n)
        assertNear("mirror", 1 - otherHigh, low, 1e-12)
        assertNear("mirror", 1 - otherLow, high, 1e-12)
        const [wideLow, wideHigh] = wilson(k * 4, n * 4)
        assertHolds(wideHigh - wideLow <= high - low, () => "wider with more samples")
      })
    )).toBeUndefined()
    expect(wilson(0, 0)).toEqual([0, 1])
    expect(() => wilson(3, 2)).toThrow(/above n/)
    expect(hitRate(10, 19)).toBeNull()
    expect(() => brier([2], [0.5])).toThrow(/0 or 1/)
    expect(brier([], [])).toBeNull()
  })

  it("gives an expected value of 0 at the break-even", () => {
    expect(findCounterexample(
      1000,
      fc.property(between(0.01, 10), between(0, 1), (payout, p) => {
        const { ev, breakEven, edge, kelly } = binaryEv(p, payout)
        assertNear("ev at break-even", binaryEv(breakEven, payout).ev, 0, 1e-12)
        assertHolds(Math.sign(ev) === Math.sign(edge) || Math.abs(ev) < 1e-12, () => "edge against ev")
        assertHolds(kelly >= 0 && kelly <= 1, () => `kelly ${kelly}`)
        assertNear("kelly", kelly, Math.max(0, p - (1 - p) / payout), 1e-9)
      })
    )).toBeUndefined()
    expect(() => binaryEv(1.1, 1)).toThrow(/p must/)
    expect(() => binaryEv(0.5, 0)).toThrow(/payout/)
  })
})

describe("risk", () => {
  it("sizes a position so that its stop loses the given share of the account, which is 1 R", () => {
    expect(
      findCounterexample(
        2000,
        fc.property(
          between(100, 1e6),
          between(0.001, 0.1),
          between(1, 1e5),
          between(0.001, 0.5),
          between(-0.9, 3),
          (account, risk, entry, stopShare, move) => {
            const stop = entry * (1 - stopShare)
            const { quantity } = positionSize({ account, risk, entry, stop })
            assertNear("loss", quantity * (entry - stop), account * risk, 1e-9)
            const exit = entry * (1 + move)
            assertNear(
              "R",
              rMultiple({ side: "long", entry, stop, exit }),
              (quantity * (exit - entry)) / (account * risk),
              1e-8
            )
            assertNear("short", rMultiple({ side: "short", entry: stop, stop: entry, exit: stop }), 0, 1e-12)
          }
        )
      )
    ).toBeUndefined()
    expect(() => positionSize({ account: 1, risk: 0.1, entry: 5, stop: 5 })).toThrow(/distance/)
    expect(() => rMultiple({ side: "long", entry: 100, stop: 110, exit: 120 })).toThrow(/below/)
  })

  it("has a liquidation price at which the margin equals the maintenance margin", () => {
    expect(
      findCounterexample(
        2000,
        fc.property(
          fc.constantFrom("long", "short"),
          between(1, 1e5),
          between(0.01, 100),
          between(0.01, 0.9),
          between(0, 0.05),
          (side, entry, quantity, share, rate) => {
            const wallet = Math.max(share, rate) * entry * quantity
            const price = liquidationPrice({ side, entry, quantity, wallet, maintenanceRate: rate })!
            const sign = side === "long" ? 1 : -1
            assertNear("margin", wallet + sign * quantity * (price - entry), rate * quantity * price, 1e-9, wallet)
            assertHolds((entry - price) * sign >= -1e-9 * entry, () => "on the wrong side")
          }
        )
      )
    ).toBeUndefined()
    expect(liquidationPrice({ side: "long", entry: 100, quantity: 1, wallet: 200 })).toBeNull()
    expect(valueAtRisk([0.1], 0.95)).toBeNull()
    expect(expectancy([])).toBeNull()
  })
})

describe("performance", () => {
  it("follows laws of scaling, order and sign", () => {
    expect(findCounterexample(
      3000,
      fc.property(returns, between(0.1, 1.5), (r, k) => {
        const ratio = sharpe(r, 365)
        if (ratio !== null && Math.abs(ratio) < 1e6) {
          assertNear(
            "sharpe",
            sharpe(r.map((x) => x * k), 365) ?? NaN,
            ratio,
            1e-6
          )
        }
        const down = sortino(r, 365)
        if (down !== null) assertNear("sortino", sortino(r.map((x) => x * k), 365) ?? NaN, down, 1e-6)
        const drawdown = maxDrawdown(r)
        assertHolds(drawdown <= 0 && drawdown >= -1, () => `drawdown ${drawdown}`)
        assertHolds(drawdown <= Math.min(0, ...r) + 1e-12, () => "shallower than the worst period")
        assertNear("cagr of n periods", cagr(r, r.length) ?? NaN, r.reduce((p, x) => p * (1 + x), 1) - 1, 1e-9)
        const rate = winRate(r)
        assertHolds(rate === null || (rate >= 0 && rate <= 1), () => `win rate ${rate}`)
        const factor = profitFactor(r)
        if (factor !== null) {
          assertHolds(
            factor > 1 === r.reduce((a, b) => a + b, 0) > 0 || Math.abs(r.reduce((a, b) => a + b, 0)) < 1e-9,
            () => "profit factor against the sum"
          )
        }
      })
    )).toBeUndefined()
  })

  it("is null or 0 if a divisor is missing", () => {
    expect(sharpe([0.01], 365)).toBeNull()
    expect(sharpe([0.1, 0.1, 0.1], 365)).toBeNull()
    expect(sortino([0.1, 0.2], 365)).toBeNull()
    expect(calmar([0.1, 0.2], 365)).toBeNull()
    expect(cagr([], 365)).toBeNull()
    expect(cagr([-1, 0.5], 365)).toBe(-1)
    expect(cagr([1e200, 1e200], 365)).toBeNull()
    expect(maxDrawdown([])).toBe(0)
    expect(winRate([0, 0])).toBeNull()
    expect(profitFactor([])).toBeNull()
    expect(() => maxDrawdown([-1.1])).toThrow(/below -1/)
    expect(() => sharpe([NaN, 1], 365)).toThrow(/returns\[0\]/)
    expect(() => sharpe([0.1, 1], 0)).toThrow(/periodsPerYear/)
  })

  it("deflates with the number of trials", () => {
    const random = seededRandom(11)
    const sample = Array.from({ length: 250 }, () => 0.001 + 0.01 * normalDraw(random))
    const fewTrials = deflatedSharpe(sample, [0.1, 0.05, -0.02])!
    const manyTrials = deflatedSharpe(sample, Array.from({ length: 200 }, (_, i) => 0.1 * Math.sin(i)))!
    expect(manyTrials).toBeLessThan(fewTrials)
    // In the numerical example of Bailey and Lopez de Prado (2014), N = 100 trials and a variance V = 1/2 per year give
    // SR0 = 0.1132 per day.
    expect(expectedBestSharpe(100, 0.5 / 250)).toBeCloseTo(0.1132, 4)
    expect(returnShape([1, 1])).toBeNull()
    expect(deflatedSharpe(sample, [])).toBeNull()
  })
})

describe("derivatives", () => {
  it("split the kimchi premium into legs that multiply to it, and shares that add up to it", () => {
    const price = between(0.5, 2)
    expect(findCounterexample(
      2000,
      fc.property(price, price, price, price, (krwPrice, usdtPrice, usdtKrw, usdKrw) => {
        const p = kimchiPremium({ krwPrice, usdtPrice, usdtKrw, usdKrw })
        assertNear("legs", (1 + p.assetLeg) * (1 + p.currencyLeg), 1 + p.total, 1e-12)
        assertNear("shares", p.assetShare + p.currencyShare, p.total, 1e-15)
      })
    )).toBeUndefined()
    expect(kimchiPremium({ krwPrice: 2, usdtPrice: 1, usdtKrw: 2, usdKrw: 2 })).toEqual({
      total: 0,
      assetLeg: 0,
      currencyLeg: 0,
      assetShare: 0,
      currencyShare: 0
    })
  })

  it("are null without trades", () => {
    expect(takerBuyShare(0, 0)).toBeNull()
    expect(liquidationSkew({ long: 0, short: 0 })).toBeNull()
    expect(liquidationSkew({ long: 0, short: 5 })).toBe(1)
    expect(openInterestChange({ coin: 0, price: 1 }, { coin: 1, price: 1 })).toEqual({ coinPct: null, usdPct: null })
    expect(putCallRatio([1], [0])).toBeNull()
    expect(compositeScore([{ name: "x", weight: 1, value: null }])).toEqual({
      score: null,
      coverage: 0,
      contributions: [{ name: "x", contribution: null }]
    })
    expect(() => compositeScore([{ name: "x", weight: 1, value: 2 }])).toThrow(/value of x/)
  })
})

describe("resampling", () => {
  it("replays a bootstrap from its seed, in range, with blocks of the requested length", () => {
    const blockLengths = stationaryBootstrap(1000, 20, seededRandom(9), 50_000)
    expect(stationaryBootstrap(1000, 20, seededRandom(9), 50_000)).toEqual(blockLengths)
    let jumps = 0
    blockLengths.forEach((at, i) => {
      if (i > 0 && at !== (blockLengths[i - 1]! + 1) % 1000) jumps++
    })
    expect(blockLengths.length / jumps).toBeGreaterThan(18)
    expect(blockLengths.length / jumps).toBeLessThan(22)
    expect(() => stationaryBootstrap(0, 1, seededRandom(1))).toThrow(RangeError)
  })

  it("centres a Monte Carlo of a fair game, with ascending percentiles", () => {
    const random = seededRandom(2)
    const sample = Array.from({ length: 200 }, (_, i) => (i % 2 === 0 ? 0.01 : -0.01))
    const { totalReturn, drawdown, ruinProbability } = monteCarlo(sample, {
      paths: 500,
      random,
      meanBlock: 1,
      ruin: -0.02
    })!
    expect(Math.abs(totalReturn.p50)).toBeLessThan(0.05)
    expect(Object.values(totalReturn).toSorted((a, b) => a - b)).toEqual(Object.values(totalReturn))
    expect(drawdown.p95).toBeLessThanOrEqual(0)
    expect(ruinProbability).toBeGreaterThan(0.95)
    expect(monteCarlo([], { paths: 10, random })).toBeNull()
  })

  it("tiles the bars with walk-forward test windows after their train windows", () => {
    expect(
      findCounterexample(
        1000,
        fc.property(
          fc.integer({ min: 50, max: 5000 }),
          fc.integer({ min: 1, max: 12 }),
          fc.boolean(),
          fc.integer({ min: 0, max: 5 }),
          (bars, folds, anchored, gap) => {
            const list = walkForward(bars, folds, { anchored, gap })
            assertHolds(list.length === folds && list.at(-1)!.test.to === bars, () => "end")
            list.forEach(({ train, test }, j) => {
              assertHolds(train.to === test.from - gap && train.from < train.to && test.from < test.to, () => "windows")
              assertHolds(j === 0 || test.from === list[j - 1]!.test.to, () => "tiles")
            })
          }
        )
      )
    ).toBeUndefined()
    expect(() => walkForward(5, 12)).toThrow(/too few/)
  })

  it("draws uniform seeded numbers", () => {
    const random = seededRandom(seed)
    const n = 100_000
    const counts = new Float64Array(10)
    for (let i = 0; i < n; i++) {
      const bin = Math.floor(random() * 10)
      counts[bin] = counts[bin]! + 1
    }
    const chi = counts.reduce((sum, c) => sum + (c - n / 10) ** 2 / (n / 10), 0)
    // A chi-squared value with 9 degrees of freedom exceeds 40 for one of 130,000 seeds.
    expect(chi).toBeLessThan(40)
  })
})
