import { assert, describe, it } from "@effect/vitest"
import {
  classifyBias,
  computeFuel,
  computeHits,
  computeRegimeHours,
  computeScoreHours,
  findCorridor,
  type FundingPayment,
  getComparedSince,
  getFearGreedLabel,
  getPositionTime,
  hourMs,
  minCoilHours,
  type PerpetualPoint,
  recentDivergences,
  regimeWarmUpHours,
  scoreFactors
} from "@tapeline/core"
import { wilson } from "@tapeline/quant/probability"
import { isFullRun } from "@tapeline/testing/fullRun"
import * as fc from "fast-check"
import { firstCandleTime, makeCandles, makeCandlesFromCloses } from "./candles.ts"

const numRuns = isFullRun ? 20 : 6

const walkArbitrary = fc.array(fc.double({ min: -0.05, max: 0.05, noNaN: true }), { minLength: 260, maxLength: 300 })
  .map(
    (steps) => {
      let price = 100
      return makeCandlesFromCloses(steps.map((change) => price *= 1 + change))
    }
  )

const point = (time: number, openInterest: number, fundingRate = 0.0001): PerpetualPoint => ({
  time,
  fundingRate,
  fundingIntervalHours: 8,
  openInterest,
  openInterestUsd: openInterest * 100,
  longShortRatio: 1.2,
  markPrice: 100,
  indexPrice: 100
})

const payments = (until: number): ReadonlyArray<FundingPayment> =>
  Array.from({ length: 90 }, (_, i) => ({
    time: until - (90 - i) * 8 * hourMs,
    fundingRate: i % 2 === 0 ? 0.00005 : 0.00015,
    intervalHours: 8
  }))

describe("the composite score", () => {
  it("has weights that add up to 1", () => {
    assert.closeTo(scoreFactors.reduce((sum, { weight }) => sum + weight, 0), 1, 1e-12)
  })

  it("stays within its bounds; a missing factor is null and only lowers the coverage", () => {
    fc.assert(
      fc.property(walkArbitrary, (candles) => {
        const scoresWithoutFunding = computeScoreHours({ candles, perpetual: [], fundingPayments: [] }, firstCandleTime)
        const end = firstCandleTime + candles.length * hourMs
        const perpetual = candles.map((candle, i) => point(candle.time + hourMs, 1_000 + i))
        const full = computeScoreHours(
          { candles, perpetual, fundingPayments: payments(getPositionTime(end)) },
          firstCandleTime
        )
        assert.strictEqual(scoresWithoutFunding.length, candles.length)
        for (const [i, hour] of scoresWithoutFunding.entries()) {
          for (const { coverage, factors, score } of [hour, full[i]!]) {
            assert.isTrue(score === null ? coverage === 0 : score >= -100 && score <= 100)
            for (const value of factors) assert.isTrue(value === null || (value >= -1 && value <= 1))
            const weight = scoreFactors.reduce((sum, factor, f) => sum + (factors[f] === null ? 0 : factor.weight), 0)
            assert.closeTo(coverage, weight, 1e-12)
            const mean = scoreFactors.reduce((sum, factor, f) => sum + factor.weight * (factors[f] ?? 0), 0) / weight
            if (score !== null) assert.closeTo(score, 100 * mean, 0.51e-4)
          }
          assert.isNull(hour.factors[6])
          assert.isNull(hour.factors[7])
          assert.deepStrictEqual(hour.factors.slice(0, 6), full[i]!.factors.slice(0, 6))
        }
        assert.strictEqual(scoresWithoutFunding[0]!.score === null, scoresWithoutFunding[0]!.coverage === 0)
        assert.isAbove(full[full.length - 1]!.coverage, scoresWithoutFunding[scoresWithoutFunding.length - 1]!.coverage)
      }),
      { numRuns }
    )
  })

  it("is high in a rise and low in a fall", () => {
    const path = (drift: number) =>
      makeCandlesFromCloses(Array.from({ length: 280 }, (_, i) => 100 * Math.exp(drift * i + 0.004 * Math.sin(i))))
    const last = (drift: number) =>
      computeScoreHours({ candles: path(drift), perpetual: [], fundingPayments: [] }, firstCandleTime).at(-1)!.score!
    assert.isAbove(last(0.003), 40)
    assert.isBelow(last(-0.003), -40)
    assert.strictEqual(classifyBias(20), "bullish")
    assert.strictEqual(classifyBias(19.9), "neutral")
    assert.strictEqual(classifyBias(-20), "bearish")
  })

  it("has no value for factors that a flat market does not define", () => {
    const { factors, score } = computeScoreHours(
      { candles: makeCandlesFromCloses(Array.from({ length: 280 }, () => 100), 0), perpetual: [], fundingPayments: [] },
      firstCandleTime
    ).at(-1)!
    // The ATR is 0, so the factors that divide by the ATR are null. The RSI (50) and the balanced taker flow still give
    // values.
    assert.deepStrictEqual(factors.map((value) => value === null), [true, true, true, false, true, false, true, true])
    assert.strictEqual(score, 0)
  })

  it("falls with crowded longs, and follows the move with new positions", () => {
    const candles = makeCandlesFromCloses(
      Array.from({ length: 280 }, (_, i) => 100 * Math.exp(0.002 * i + 0.003 * Math.sin(i)))
    )
    const end = firstCandleTime + candles.length * hourMs
    const settled = getPositionTime(end)
    const at = (rate: number, before: number, now: number) =>
      computeScoreHours({
        candles,
        perpetual: [point(settled - 24 * hourMs, before), point(settled, now)],
        fundingPayments: [...payments(settled), { time: settled, fundingRate: rate, intervalHours: 8 }]
      }, firstCandleTime).at(-1)!.factors
    assert.isBelow(at(0.0004, 100, 110)[6]!, -0.9)
    assert.isAbove(at(-0.0002, 100, 110)[6]!, 0.9)
    assert.isAbove(at(0, 100, 110)[7]!, 0.5)
    assert.isBelow(at(0, 110, 100)[7]!, -0.5)
  })
})

describe("divergences", () => {
  it("state since when swings were compared while a hole may hide a swing", () => {
    const closes = Array.from({ length: 640 }, (_, i) => 100 + 5 * Math.sin(i / 3) + Math.sin(i / 50))
    // The wicks differ, because only one candle may have the extreme price of a swing.
    const candles = makeCandlesFromCloses(closes).map((candle, i) => ({
      ...candle,
      high: candle.high * (1 + 0.0005 * (i % 3)),
      low: candle.low * (1 - 0.0005 * (i % 3))
    }))
    const candlesWithGap = candles.filter((_, i) => i < 500 || i >= 505)
    const comparedTimes = candlesWithGap.slice(500).map((_, i) => getComparedSince(candlesWithGap.slice(0, 501 + i)))
    const since = firstCandleTime + 505 * hourMs
    const last = comparedTimes.lastIndexOf(since)
    // On both sides of the gap, the test prices have a swing within a day. A divergence is reported for three days.
    assert.isTrue(last > 72 && last < 72 + 24 + 6, String(last))
    assert.deepStrictEqual(comparedTimes, comparedTimes.map((_, i) => i <= last ? since : null))
    assert.isNull(getComparedSince(candles))
  })

  it("depend only on closed candles, so later candles remove no divergence", () => {
    let checkedCount = 0
    // All steps have the same size, but the wicks differ, because only one candle may have the extreme price of a
    // swing.
    const roundedWalk = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 260, maxLength: 300 }).map((steps) => {
      let price = 100
      return makeCandlesFromCloses(steps.map((step) => price *= 1 + step / 1_000)).map((candle, i) => ({
        ...candle,
        high: candle.high * (1 + 0.0005 * (i % 3)),
        low: candle.low * (1 - 0.0005 * (i % 3))
      }))
    })
    fc.assert(
      fc.property(roundedWalk, fc.integer({ min: 200, max: 255 }), (candles, known) => {
        const confirmationTime = firstCandleTime + known * hourMs
        const earlyDivergences = recentDivergences(candles.slice(0, known))
        const later = recentDivergences(candles.slice(0, known + 4))
        checkedCount += earlyDivergences.length
        for (const divergence of earlyDivergences) {
          assert.isAtMost(divergence.confirmedAt, confirmationTime)
          assert.strictEqual(divergence.confirmedAt, divergence.toTime + 6 * hourMs)
        }
        assert.deepStrictEqual(
          later.filter(({ confirmedAt }) => confirmedAt <= confirmationTime),
          earlyDivergences.filter(({ confirmedAt }) => confirmedAt > confirmationTime + 4 * hourMs - 72 * hourMs)
        )
      }),
      { numRuns }
    )
    assert.isAbove(checkedCount, 0)
  })
})

describe("the coil", () => {
  /** Returns wide swings, then a narrow range of `narrow` hours, then the given closes. */
  const path = (narrow: number, ...closesAfter: ReadonlyArray<number>) =>
    makeCandles([
      ...Array.from({ length: 200 }, (_, i) => 100 + 4 * Math.sin(i / 5)),
      ...Array.from({ length: narrow }, (_, i) => 100 + 0.05 * Math.sin(i)),
      ...closesAfter
    ].map((close, i, all) => {
      const open = all[i - 1] ?? close
      return [open, Math.max(open, close) + 0.3, Math.min(open, close) - 0.3, close]
    }))

  it("is charged by a long squeeze within its corridor", () => {
    const coil = findCorridor(path(60))!
    assert.strictEqual(coil.state, "coiled")
    assert.isAbove(coil.barsInSqueeze, 12)
    assert.isAbove(coil.squeezePct, 80)
    assert.closeTo(coil.charge, coil.squeezePct * (1 - Math.exp(-coil.barsInSqueeze / 12)), 1e-12)
    assert.isBelow(coil.corridor.low, 99.8)
    assert.isAbove(coil.corridor.high, 100.2)
    assert.isBelow(coil.corridor.high - coil.corridor.low, 2)
    assert.deepStrictEqual(computeFuel(undefined, undefined, []), {
      score: null,
      openInterestChange: null,
      fundingRate: null,
      fundingZ: null,
      fundingPercentile: null,
      fundingN: 0,
      longShortRatio: null,
      crowdedSide: null
    })
  })

  it("is released by a close beyond the corridor of the squeeze", () => {
    const up = findCorridor(path(60, 103, 105))!
    assert.strictEqual(up.state, "released_up")
    assert.strictEqual(up.barsInSqueeze, 0)
    assert.strictEqual(up.charge, 0)
    assert.isBelow(up.corridor.high, up.close)
    assert.strictEqual(findCorridor(path(60, 97, 95))!.state, "released_down")
  })

  it("derives its fuel from the perpetual", () => {
    const fuel = computeFuel(
      point(firstCandleTime, 3_000, 0.0004),
      point(firstCandleTime, 2_500),
      payments(firstCandleTime)
    )
    assert.closeTo(fuel.openInterestChange!, 0.2, 1e-12)
    assert.strictEqual(fuel.crowdedSide, "longs")
    assert.strictEqual(fuel.score, 100)
    const before = payments(firstCandleTime).filter(({ time }) =>
      time > firstCandleTime - 30 * 24 * hourMs && time <= firstCandleTime
    )
    assert.closeTo(fuel.fundingN, before.length, 1)
    const below = before.filter(({ fundingRate }) => fundingRate < 0.0004).length
    assert.closeTo(fuel.fundingPercentile!, 100 * below / before.length, 2)
  })

  it("is null with too little history or without price changes", () => {
    assert.isNull(findCorridor(path(60).slice(0, minCoilHours - 1)))
    assert.isNull(findCorridor(makeCandlesFromCloses(Array.from({ length: 100 }, () => 5), 0)))
  })
})

describe("the regime", () => {
  const market = (tail: (i: number) => number) =>
    makeCandlesFromCloses(
      Array.from({ length: regimeWarmUpHours + 10 }, (_, i) =>
        100 * Math.exp(0.004 * Math.sin(i * 1.7) + tail(i - regimeWarmUpHours + 100)))
    )

  it("distinguishes a rise from a panic, and needs two thirds of 30 days", () => {
    const regimeOfRise = computeRegimeHours(market((i) => i > 0 ? 0.001 * i : 0), [], firstCandleTime).at(-1)!
    assert.strictEqual(regimeOfRise.trend, "up")
    assert.strictEqual(regimeOfRise.risk, "risk_on")
    assert.strictEqual(regimeOfRise.label, "uptrend")
    assert.isNull(regimeOfRise.ethAgainstBtcMove)
    const crash = computeRegimeHours(market((i) => i > 80 ? -0.02 * (i - 80) + 0.03 * (i % 2) : 0), [], firstCandleTime)
      .at(-1)!
    assert.strictEqual(crash.volatility, "extreme")
    assert.strictEqual(crash.risk, "risk_off")
    assert.strictEqual(crash.label, "panic")
    const hours = computeRegimeHours(market(() => 0), [], firstCandleTime)
    assert.strictEqual(hours.at(-1)!.time, firstCandleTime + (regimeWarmUpHours + 10) * hourMs)
    // A regime needs 480 of 720 hours with a volatility. A 24-hour volatility needs two thirds of its hours, and the
    // close before them.
    assert.deepStrictEqual(hours.length, computeRegimeHours(market(() => 0), [], firstCandleTime + 504 * hourMs).length)
    assert.deepStrictEqual(computeRegimeHours(market(() => 0).slice(0, 450), [], firstCandleTime), [])
  })
})

describe("labels and rates", () => {
  it("has five labels for fear and greed", () => {
    assert.deepStrictEqual([0, 24.9, 25, 44.9, 45, 55, 55.1, 75, 75.1, 100].map(getFearGreedLabel), [
      "extreme_fear",
      "extreme_fear",
      "fear",
      "fear",
      "neutral",
      "neutral",
      "greed",
      "greed",
      "extreme_greed",
      "extreme_greed"
    ])
  })

  it("has rates for at least 20 signals, with Wilson's interval", () => {
    const fewWins = computeHits(4, Array.from({ length: 19 }, () => 1))
    assert.deepStrictEqual(fewWins, {
      hours: 4,
      n: 19,
      hitRate: null,
      wilsonLow: null,
      wilsonHigh: null,
      meanReturnPct: null
    })
    const returns = Array.from({ length: 20 }, (_, i) => i < 12 ? 2 : i < 19 ? -1 : 0)
    const hits = computeHits(24, returns)
    const [low, high] = wilson(12, 20)
    assert.deepStrictEqual(hits, {
      hours: 24,
      n: 20,
      hitRate: 0.6,
      wilsonLow: low,
      wilsonHigh: high,
      meanReturnPct: 17 / 20
    })
    // The 95 % Wilson interval of 12 of 20 is 0.387 to 0.781 (R. Newcombe).
    assert.closeTo(low, 0.3866, 1e-4)
    assert.closeTo(high, 0.7812, 1e-4)
  })
})
