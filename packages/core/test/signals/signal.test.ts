import { assert, describe, it } from "@effect/vitest"
import {
  type Candle,
  countMissingHours,
  determineOutcome,
  findSignals,
  getReturnAfter,
  hourMs,
  type PaperSignal,
  type ScoreColumns
} from "@tapeline/core"
import * as fc from "fast-check"
import { firstCandleTime, makeCandles, makeCandlesFromCloses } from "./candles.ts"

const long: PaperSignal = {
  coin: "BTC",
  side: "long",
  openedAt: firstCandleTime,
  score: 45,
  entry: 100,
  take: 106,
  stop: 96,
  regime: null
}
const short: PaperSignal = { ...long, side: "short", score: -45, take: 94, stop: 104 }

const quietBar: readonly [number, number, number, number] = [100, 101, 99, 100]
const after = (candles: ReadonlyArray<Candle>): number => firstCandleTime + candles.length * hourMs
const determineOutcomeOf = (signal: PaperSignal, bars: ReadonlyArray<readonly [number, number, number, number]>) => {
  const candles = makeCandles(bars)
  return determineOutcome(signal, candles, after(candles))
}

describe("outcomes", () => {
  it("count the unrecorded hours of a signal's life, up to its end", () => {
    const candles = makeCandles(Array.from({ length: 30 }, () => quietBar)).filter((_, i) => i !== 3 && i !== 25)
    const timeout = determineOutcome(long, candles, firstCandleTime + 30 * hourMs)
    assert.strictEqual(countMissingHours(long, timeout, candles, firstCandleTime + 30 * hourMs), 1)
    assert.strictEqual(countMissingHours(long, null, candles, firstCandleTime + 3 * hourMs), 0)
    assert.strictEqual(countMissingHours(long, null, candles, firstCandleTime + 4 * hourMs), 1)
    const closedOutcome = { ...timeout!, closedAt: firstCandleTime + 2 * hourMs }
    assert.strictEqual(countMissingHours(long, closedOutcome, candles, firstCandleTime + 30 * hourMs), 0)
  })

  it("fill at the take if a bar reaches it", () => {
    assert.deepStrictEqual(determineOutcomeOf(long, [quietBar, [100, 107, 99, 103]]), {
      outcome: "take",
      closedAt: firstCandleTime + 2 * hourMs,
      exit: 106,
      percent: 6.000000000000005
    })
  })

  it("are a stop if one bar touches both take and stop", () => {
    const result = determineOutcomeOf(long, [[100, 107, 95, 103]])!
    assert.strictEqual(result.outcome, "stop")
    assert.strictEqual(result.exit, 96)
    assert.closeTo(result.percent, -4, 1e-12)
    assert.strictEqual(determineOutcomeOf(short, [[100, 105, 93, 100]])!.outcome, "stop")
  })

  it("fill at the open after a gap, whether it is better or worse", () => {
    const worseOutcome = determineOutcomeOf(long, [quietBar, [90, 91, 89, 90]])!
    assert.strictEqual(worseOutcome.outcome, "stop")
    assert.strictEqual(worseOutcome.exit, 90)
    const better = determineOutcomeOf(long, [quietBar, [110, 111, 90, 95]])!
    assert.strictEqual(better.outcome, "take")
    assert.strictEqual(better.exit, 110)
    const shortGap = determineOutcomeOf(short, [quietBar, [90, 120, 89, 95]])!
    assert.strictEqual(shortGap.outcome, "take")
    assert.closeTo(shortGap.percent, 10, 1e-12)
  })

  it("time out at the close of the 24th hour if neither level is touched", () => {
    const bars = Array.from({ length: 30 }, (_, i) => [100, 101, 99, 100 + i / 100] as const)
    assert.isNull(determineOutcomeOf(long, bars.slice(0, 23)))
    const result = determineOutcomeOf(long, bars)!
    assert.deepStrictEqual(result, {
      outcome: "timeout",
      closedAt: firstCandleTime + 24 * hourMs,
      exit: 100.23,
      percent: result.percent
    })
    assert.closeTo(result.percent, 0.23, 1e-9)
  })

  it("time out on time if candles are missing, and stay open without any candle", () => {
    const candles = makeCandles([quietBar, quietBar])
    assert.strictEqual(determineOutcome(long, candles, firstCandleTime + 24 * hourMs)!.outcome, "timeout")
    assert.isNull(determineOutcome(long, [], firstCandleTime + 24 * hourMs))
  })

  it("include returns in the signal's direction after 1, 4 and 24 hours", () => {
    const candles = makeCandlesFromCloses([100, 101, 102, 103, 104])
    assert.closeTo(getReturnAfter(long, candles, 1)!, 0, 1e-12)
    assert.closeTo(getReturnAfter(long, candles, 4)!, 3, 1e-12)
    assert.closeTo(getReturnAfter(short, candles, 4)!, -3, 1e-12)
    assert.isUndefined(getReturnAfter(long, candles, 24))
  })

  it("never change after they are determined", () => {
    const step = fc.double({ min: -0.03, max: 0.03, noNaN: true })
    fc.assert(
      fc.property(fc.array(step, { minLength: 30, maxLength: 30 }), fc.constantFrom(long, short), (steps, signal) => {
        let price = 100
        const candles = makeCandlesFromCloses(steps.map((change) => price *= 1 + change))
        let outcome: ReturnType<typeof determineOutcome> = null
        for (let n = 1; n <= candles.length; n++) {
          const result = determineOutcome(signal, candles.slice(0, n), firstCandleTime + n * hourMs)
          if (outcome !== null) assert.deepStrictEqual(result, outcome)
          outcome = result
        }
        assert.isNotNull(outcome)
      })
    )
  })
})

/** Returns the scores of consecutive hours. The first score belongs to the hour that closes one hour after `from`. */
const scored = (scores: ReadonlyArray<number | null>, from = firstCandleTime): ScoreColumns => ({
  from,
  open: Float64Array.from(scores, () => 100),
  atr: Float64Array.from(scores, () => 1),
  score: Float64Array.from(scores, (score) => score ?? NaN)
})

const opened = (scores: ReadonlyArray<number | null>, risk?: "risk_on" | "risk_off") =>
  findSignals(
    "BTC",
    scored(scores),
    -Infinity,
    () => 100,
    (time) =>
      risk === undefined ? null : {
        time,
        trend: "range",
        volatility: "normal",
        risk,
        label: "range",
        trendSpread: 0,
        adx: 10,
        volatility24h: 0.5,
        volatilityPercentile: 50,
        riskScore: 0,
        btcMove: 0,
        ethAgainstBtcMove: null
      }
  )

describe("the signal rule", () => {
  it("opens at the crossing, with take and stop in ATRs", () => {
    const [signal, ...rest] = opened([10, 39.9, 40, 41, 60])
    assert.deepStrictEqual(rest, [])
    assert.deepInclude(signal!, {
      side: "long",
      openedAt: firstCandleTime + 3 * hourMs,
      entry: 100,
      take: 103,
      stop: 98,
      score: 40
    })
    assert.deepInclude(opened([0, -40])[0]!, { side: "short", take: 97, stop: 102 })
  })

  it("does not open within 24 hours of another crossing, whether or not that one opened", () => {
    const idle = Array.from({ length: 22 }, () => 0)
    assert.strictEqual(opened([0, 50, ...idle, 50]).length, 1)
    assert.strictEqual(opened([0, 50, ...idle, 0, 50]).length, 2)
    // The second crossing opens no signal, because it is within 24 hours of the first. The third crossing is within 24
    // hours of the second.
    assert.strictEqual(opened([0, 50, 0, 50, ...idle, 50]).length, 1)
  })

  it("does not open against the market, or across hours without a score", () => {
    assert.strictEqual(opened([0, 50], "risk_off").length, 0)
    assert.strictEqual(opened([0, 50], "risk_on").length, 1)
    assert.strictEqual(opened([0, -50], "risk_on").length, 0)
    assert.strictEqual(opened([0, -50], "risk_off").length, 1)
    assert.strictEqual(opened([0, null, 50]).length, 0)
  })

  it("depends only on the hours just before", () => {
    const score = fc.integer({ min: -60, max: 60 })
    fc.assert(fc.property(fc.array(score, { minLength: 60, maxLength: 90 }), (scores) => {
      const allSignals = findSignals("BTC", scored(scores), -Infinity, () => 100, () => null)
      const from = firstCandleTime + 41 * hourMs
      const signalsOfPart = scored(scores.slice(40 - 25), firstCandleTime + (40 - 25) * hourMs)
      const part = findSignals("BTC", signalsOfPart, from, () => 100, () => null)
      assert.deepStrictEqual(part, allSignals.filter(({ openedAt }) => openedAt >= from))
    }))
  })
})
