import { assert, describe, it } from "@effect/vitest"
import {
  afterLastHole,
  type Candle,
  computeFearGreedDays,
  computeFuel,
  computeRegimeHours,
  computeScoreHours,
  dayMs,
  fearGreedComponents,
  type FearGreedDay,
  type FearGreedMarket,
  findCorridor,
  findSignals,
  type FundingPayment,
  getPositionTime,
  hourMs,
  type PerpetualPoint,
  readValue,
  type ScoredHour,
  scoreFactors
} from "@tapeline/core"
import { makeDerivedEngine } from "@tapeline/testing"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { getFundingZScoreBefore, toPayments } from "../../src/analysis/signals/funding.ts"
import {
  findAnchorRow,
  getDeviation,
  getLogReturns,
  getMean,
  getStandardisedMove
} from "../../src/analysis/signals/grid.ts"
import { firstCandleTime, makeCandles, makeCandlesFromCloses } from "./candles.ts"
import { hostileCoins, hostileHours, hostileStart } from "./hostileCoins.ts"
import { hostileMarket } from "./hostileMarket.ts"

/** Returns a column of `n` rows, in which the rows of `[from, from + missing)` are missing. */
const column = (n: number, from: number, missing: number, at: (i: number) => number = (i) => i): Float64Array =>
  Float64Array.from({ length: n }, (_, i) => i >= from && i < from + missing ? NaN : at(i))

const closeAt = (i: number): number => 100 * Math.exp(0.02 * Math.sin(i * 1.7) + 0.01 * Math.sin(i / 9))

/** Returns payments every `intervalHours` hours. The last payment is at `end`. */
const payments = (end: number, count: number, intervalHours = 8): ReadonlyArray<FundingPayment> =>
  Array.from({ length: count }, (_, i) => ({
    time: end - (count - 1 - i) * intervalHours * hourMs,
    fundingRate: (i % 2 === 0 ? 0.5e-4 : 1.5e-4) * (intervalHours / 8),
    intervalHours
  }))

describe("windows", () => {
  it("need values for at least 16 of 24 hours", () => {
    assert.strictEqual(getMean(column(24, 4, 8), 23, 24), (276 - 8 * 7.5) / 16)
    assert.isNaN(getMean(column(24, 4, 9), 23, 24))
    const alternating = column(25, 4, 8, (i) => i % 2)
    assert.closeTo(getDeviation(alternating, 24, 24), Math.sqrt((16 * 0.25) / 15), 1e-12)
    assert.isNaN(getDeviation(column(25, 4, 9, (i) => i % 2), 24, 24))
  })

  it("use the last close before a hole, at most six hours back", () => {
    assert.strictEqual(findAnchorRow(column(20, 5, 6), 10), 4)
    assert.strictEqual(findAnchorRow(column(20, 5, 7), 11), -1)
  })

  it("scale a move by the time that it really spans", () => {
    // The close 24 hours earlier is missing, so the close 27 hours earlier is used instead.
    const close = column(200, 173, 4, closeAt)
    const returns = getLogReturns(close)
    const spread = getDeviation(returns, 199, 168)
    const move = Math.log(closeAt(199) / closeAt(172)) / (spread * Math.sqrt(27))
    assert.closeTo(getStandardisedMove(close, returns, 199, 24, 168), move, 1e-12)
  })
})

describe("a score", () => {
  const factor = (hour: ScoredHour | undefined, name: string): number | null =>
    hour!.factors[scoreFactors.findIndex((one) => one.name === name)]!
  const candles = makeCandlesFromCloses(Array.from({ length: 320 }, (_, i) => closeAt(i)))
  const scored = (
    market: { readonly candles?: ReadonlyArray<Candle>; readonly prints?: ReadonlyArray<FundingPayment> }
  ) =>
    new Map(
      computeScoreHours({ candles, perpetual: [], fundingPayments: market.prints ?? [], ...market }, firstCandleTime)
        .map((hour) => [hour.time, hour])
    )

  it("keeps its funding factor until two payments in a row are missed", () => {
    const paidAt = getPositionTime(firstCandleTime + 290 * hourMs)
    for (const interval of [8, 1]) {
      const hours = scored({ prints: payments(paidAt, 40 * (8 / interval), interval) })
      assert.isNotNull(factor(hours.get(paidAt + (2 * interval - 1) * hourMs), "funding"))
      assert.isNull(factor(hours.get(paidAt + 2 * interval * hourMs), "funding"))
    }
  })

  it("computes flow from the hours with known taker volume", () => {
    const flow = (unknown: number) => {
      const known = candles.map((candle, i): Candle =>
        i >= 300 && i < 300 + unknown
          ? { ...candle, volume: 1e6, takerBuyVolume: null }
          : { ...candle, takerBuyVolume: 0.55 * candle.volume }
      )
      return factor(scored({ candles: known }).get(firstCandleTime + 320 * hourMs), "flow")
    }
    assert.closeTo(flow(8)!, Math.tanh(1), 1e-9)
    assert.isNull(flow(9))
  })

  it("compares funding with at least 240 hours of payments", () => {
    const before = (count: number) =>
      getFundingZScoreBefore(3e-4, toPayments(payments(firstCandleTime, count)), firstCandleTime + 1)
    assert.isNull(before(29))
    assert.isNotNull(before(30))
  })
})

describe("a regime", () => {
  it("needs the volatility of at least 480 of 720 hours", () => {
    const closes = makeCandlesFromCloses(Array.from({ length: 745 }, (_, i) => closeAt(i)))
    // If the first `missing` hours have no candles, fewer hours have a volatility, which needs at least 16 of 24
    // returns.
    const regimeWithoutHours = (missing: number) =>
      computeRegimeHours(closes.filter((_, i) => i === 0 || i > missing), [], firstCandleTime + 744 * hourMs)
    assert.strictEqual(regimeWithoutHours(247).length, 1)
    assert.strictEqual(regimeWithoutHours(248).length, 0)
  })
})

describe("fear and greed", () => {
  const days = (missingDays: ReadonlyArray<number> = []): ReadonlyArray<Candle> =>
    makeCandlesFromCloses(Array.from({ length: 100 }, (_, i) => closeAt(i)))
      .map((candle, i) => ({ ...candle, time: firstCandleTime + i * dayMs }))
      .filter((_, i) => !missingDays.includes(i))
  const end = firstCandleTime + 100 * dayMs
  const component = (name: string, market: Partial<FearGreedMarket>): number | null => {
    const [day]: ReadonlyArray<FearGreedDay> = computeFearGreedDays(
      { btc: days(), others: [], fundingPayments: [], social: [], ...market },
      end - dayMs
    )
    return day!.components[fearGreedComponents.findIndex((one) => one.name === name)]!
  }

  it("needs at least five other coins for breadth and dominance", () => {
    for (const name of ["breadth", "dominance"]) {
      assert.isNull(component(name, { others: Array.from({ length: 4 }, () => days()) }))
      assert.isNotNull(component(name, { others: Array.from({ length: 5 }, () => days()) }))
    }
  })

  it("averages the two middle coins for the median of an even number", () => {
    const risingCandles = (perDay: number) =>
      makeCandlesFromCloses(Array.from({ length: 100 }, (_, i) => Math.exp(perDay * i)))
        .map((candle, i) => ({ ...candle, time: firstCandleTime + i * dayMs }))
    const six = [1, 2, 3, 4, 8, 16].map((rate) => risingCandles(rate / 1_000))
    const median = Array.from({ length: 5 }, () => risingCandles(3.5 / 1_000))
    assert.closeTo(component("dominance", { others: six })!, component("dominance", { others: median })!, 1e-9)
  })

  it("uses the last close before a hole, at most two days back", () => {
    assert.isNotNull(component("momentum", { btc: days([68, 69]) }))
    assert.isNull(component("momentum", { btc: days([67, 68, 69]) }))
    const others = (missingDays: ReadonlyArray<number>) => Array.from({ length: 5 }, () => days(missingDays))
    assert.isNotNull(component("dominance", { others: others([68, 69]) }))
    assert.isNull(component("dominance", { others: others([67, 68, 69]) }))
  })

  it("needs funding payments of 48 of 72 hours, and of 240 of the 720 hours before", () => {
    const recent = (count: number) => payments(end, count)
    const before = (count: number) => payments(end - 3 * dayMs, count)
    assert.isNotNull(component("funding", { fundingPayments: [...before(30), ...recent(6)] }))
    assert.isNull(component("funding", { fundingPayments: [...before(30), ...recent(5)] }))
    assert.isNull(component("funding", { fundingPayments: [...before(29), ...recent(6)] }))
  })

  it.effect("reads as far back as its last day requires, for any number of days", () =>
    Effect.gen(function*() {
      const readScoreHistory = Effect.fnUntraced(function*(time: number, count: number) {
        // The clock is a minute after the full hour, because the venue's timestamp of the payment is some seconds late.
        yield* TestClock.setTime(time + 60_000)
        return yield* readValue((yield* makeDerivedEngine(hostileMarket)).fearGreed(count))
      })
      const history = yield* readScoreHistory(hostileStart + hostileHours * hourMs, 90)
      const countKnown = (at: number) => history.filter(({ components }) => components[at] !== null).length
      for (const at of fearGreedComponents.keys()) assert.isAbove(countKnown(at), 5)
      for (const day of history) assert.deepStrictEqual(yield* readScoreHistory(day.time, 1), [day])
    }).pipe(Effect.scoped))
})

describe("a coil", () => {
  /** Returns wide swings, then a narrow range, then the given closes. */
  const path = (...closesAfter: ReadonlyArray<number>) =>
    makeCandles([
      ...Array.from({ length: 200 }, (_, i) => 100 + 4 * Math.sin(i / 5)),
      ...Array.from({ length: 60 }, (_, i) => 100 + 0.05 * Math.sin(i)),
      ...closesAfter
    ].map((close, i, all) => {
      const open = all[i - 1] ?? close
      return [open, Math.max(open, close) + 0.3, Math.min(open, close) - 0.3, close]
    }))

  it("needs 60 hours since the last hole", () => {
    const after = (hours: number) => findCorridor(path().filter((_, i) => i !== 260 - hours - 1))
    assert.isNull(after(59))
    assert.isNotNull(after(60))
  })

  it("stays released for six hours", () => {
    const risingPrices = Array.from({ length: 20 }, (_, i) => 103 + 2 * i)
    const states = risingPrices.map((_, i) => findCorridor(path(...risingPrices.slice(0, i + 1)))!.state)
    assert.strictEqual(states.filter((state) => state === "released_up").length, 6)
    assert.strictEqual(states.at(-1), "none")
  })

  it("is coiled after 12 hours of a squeeze that is tighter than 80 of 100 hours", () => {
    const counts = { coiled: 0, loose: 0, young: 0 }
    for (const { hours } of hostileCoins) {
      for (let n = 700; n < 1_900; n += 4) {
        const corridor = findCorridor(afterLastHole(hours.slice(Math.max(0, n - 270), n), hourMs))
        if (corridor === null || corridor.barsInSqueeze === 0) continue
        const [old, isTight] = [corridor.barsInSqueeze >= 12, corridor.squeezePct >= 80]
        assert.strictEqual(corridor.state, old && isTight ? "coiled" : "squeeze")
        if (old && isTight) counts.coiled++
        if (old && corridor.squeezePct >= 77 && !isTight) counts.loose++
        if (corridor.barsInSqueeze === 11 && isTight) counts.young++
      }
    }
    for (const count of Object.values(counts)) assert.isAbove(count, 0)
  })

  it("has full fuel at 10 % more open interest and a |z| of 2", () => {
    const point = (openInterest: number): PerpetualPoint => ({
      time: firstCandleTime,
      fundingRate: 0.01,
      fundingIntervalHours: 8,
      openInterest,
      openInterestUsd: null,
      longShortRatio: null,
      markPrice: null,
      indexPrice: null
    })
    const score = (openInterest: number) =>
      computeFuel(point(openInterest), point(1_000), payments(firstCandleTime, 90)).score!
    assert.closeTo(score(1_099), 99.5, 1e-9)
    assert.strictEqual(score(1_100), 100)
    assert.strictEqual(score(1_200), 100)
  })
})

describe("a signal", () => {
  it("is not opened if its stop or its take would not be positive", () => {
    const opened = (score: number, atr: number) =>
      findSignals(
        "BTC",
        {
          from: firstCandleTime,
          open: Float64Array.of(100, 100),
          atr: Float64Array.of(atr, atr),
          score: Float64Array.of(0, score)
        },
        -Infinity,
        () => 100,
        () => null
      ).length
    assert.deepStrictEqual([opened(50, 49), opened(50, 50)], [1, 0])
    assert.deepStrictEqual([opened(-50, 33), opened(-50, 34)], [1, 0])
  })
})
