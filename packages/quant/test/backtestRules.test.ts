import {
  adx,
  backtest,
  type BacktestBars,
  buyAndHold,
  conditionHolds,
  operandSeries,
  operandSource,
  rollingFolds,
  seededRandom,
  type Series,
  stationaryBootstrap,
  strategySignals,
  vwap
} from "@tapeline/quant"
import { monteCarlo } from "@tapeline/quant/resampling"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { naiveBacktest } from "./naiveBacktest.ts"
import { assertHolds, assertNear, findCounterexample } from "./propertyTesting.ts"
import { randomBars } from "./randomBars.ts"

const trial = fc.record({
  seed: fc.integer(),
  length: fc.integer({ min: 1, max: 200 }),
  feeBps: fc.integer({ min: 0, max: 50 }),
  slippageBps: fc.integer({ min: 0, max: 50 }),
  maxBars: fc.integer({ min: 1, max: 30 })
}).map(({ length, seed, ...costs }) => {
  const random = seededRandom(seed)
  const bars = randomBars(random, length)
  const some = (share: number, value: (i: number) => number): number[] =>
    bars.close.map((_, i) => (random() < share ? value(i) : 0))
  const signals = {
    enter: some(0.3, () => (random() < 0.5 ? 1 : -1)),
    exit: some(0.1, () => 1),
    stopDistance: some(0.7, (i) => bars.close[i]! * random() * 0.03),
    takeDistance: some(0.7, (i) => bars.close[i]! * random() * 0.03)
  }
  // An entry signal is removed if the same bar has an exit signal, because the two signals cancel each other.
  signals.enter = signals.enter.map((side, i) => signals.exit[i] === 0 ? side : 0)
  return { bars, signals, options: { ...costs, funding: some(0.1, () => (random() - 0.5) * 0.001) } }
})

describe("a backtest compared with a naive implementation", () => {
  it("has the same trades", () => {
    let compared = 0
    expect(findCounterexample(
      5000,
      fc.property(trial, ({ bars, options, signals }) => {
        const { equity, trades } = backtest(bars, signals, options)
        // The naive implementation has no rule for ruin, which occurs when the price of a short position doubles.
        if (trades.some(({ reason }) => reason === "ruin")) return
        const expectedTrades = naiveBacktest(bars, signals, options)
        assertHolds(
          expectedTrades.length === trades.length,
          () => `${trades.length} trades, wanted ${expectedTrades.length}`
        )
        expectedTrades.forEach((expectedTrade, k) => {
          const trade = trades[k]!
          assertHolds(
            trade.entryIndex === expectedTrade.entryIndex && trade.exitIndex === expectedTrade.exitIndex &&
              trade.reason === expectedTrade.reason && (trade.side === "long") === (expectedTrade.side === 1),
            () => `${JSON.stringify(trade)}, wanted ${JSON.stringify(expectedTrade)}`
          )
          for (const name of ["entry", "exit", "return"] as const) {
            assertNear(name, trade[name], expectedTrade[name], 1e-9)
          }
          compared++
        })
        assertNear("equity", equity.at(-1)!, expectedTrades.reduce((product, t) => product * (1 + t.return), 1), 1e-9)
      })
    )).toBeUndefined()
    expect(compared).toBeGreaterThan(500)
  })

  it("has no higher return with doubled fees, including stops and funding", () => {
    expect(findCounterexample(
      2000,
      fc.property(trial, ({ bars, options, signals }) => {
        const last = (feeBps: number): number => backtest(bars, signals, { ...options, feeBps }).equity.at(-1)!
        const { feeBps } = options
        assertHolds(last(2 * feeBps) <= last(feeBps) + 1e-12, () => `${last(2 * feeBps)} above ${last(feeBps)}`)
      })
    )).toBeUndefined()
  })

  it("equals buy and hold for a strategy that always enters", () => {
    const bars = randomBars(seededRandom(3), 100)
    const signals = strategySignals({ entry: [{ left: "price", op: "gt", right: 0 }] }, bars)
    expect(backtest(bars, signals)).toEqual(buyAndHold(bars))
  })

  it("reads each bar equally often in long and in short backtests", () => {
    const reads = (length: number): number => {
      let count = 0
      const counted = (x: ReadonlyArray<number>): Series =>
        new Proxy(x, {
          get: (target, key) => {
            if (key !== "length") count++
            return Reflect.get(target, key)
          }
        })
      const { close, high, low, open } = randomBars(seededRandom(1), length)
      const bars: BacktestBars = { open: counted(open), high: counted(high), low: counted(low), close: counted(close) }
      const enter = counted(close.map((_, i) => (i % 50 === 0 ? (i % 4) - 1 : 0)))
      const stopDistance = counted(close.map((price) => price * 0.02))
      backtest(bars, { enter, stopDistance, takeDistance: stopDistance })
      return count / length
    }
    expect(reads(10_000)).toBeLessThan(1.02 * reads(2_000))
  })
})

describe("operands", () => {
  const bars = randomBars(seededRandom(11), 120)

  it("compute highest and lowest from the bars before", () => {
    const highest = operandSeries("highest(5)", bars)
    const lowest = operandSeries("lowest(5)", bars)
    for (let i = 0; i < 120; i++) {
      expect(highest[i]).toBe(i < 5 ? NaN : Math.max(...bars.high.slice(i - 5, i)))
      expect(lowest[i]).toBe(i < 5 ? NaN : Math.min(...bars.low.slice(i - 5, i)))
    }
    expect(Array.from(conditionHolds({ left: "price", op: "gt", right: "highest(5)" }, bars))).toEqual(
      bars.close.map((price, i) => i >= 5 && price > Math.max(...bars.high.slice(i - 5, i)) ? 1 : 0)
    )
  })

  it("return the series of adx, vwap and external data", () => {
    const session = bars.close.map((_, i) => Math.floor(i / 24))
    const series = operandSource({ ...bars, session, open_interest: bars.volume, score: bars.close })
    expect(series("adx")).toEqual(adx(bars.high, bars.low, bars.close, 14).adx)
    expect(series("vwap")).toEqual(vwap(bars.high, bars.low, bars.close, bars.volume, session))
    expect(series("open_interest")).toBe(bars.volume)
    expect(series("score")).toBe(bars.close)
    expect(series(" RSI( 7 ) ")).toEqual(operandSeries("rsi(7)", bars))
    expect(series("macd.signal")).toEqual(operandSeries("macd(12, 26, 9).signal", bars))
  })
})

describe("resampled backtests", () => {
  it("compound the path of the bootstrap", () => {
    expect(findCounterexample(
      500,
      fc.property(
        fc.integer(),
        fc.integer({ min: 1, max: 80 }),
        fc.integer({ min: 1, max: 20 }),
        (seed, n, meanBlock) => {
          const random = seededRandom(seed)
          const returns = Array.from({ length: n }, () => (random() - 0.5) * 0.2)
          const { drawdown, lossProbability, totalReturn } = monteCarlo(returns, {
            paths: 1,
            random: seededRandom(seed + 1),
            meanBlock
          })!
          let equity = 1
          let high = 1
          let worst = 0
          for (const at of stationaryBootstrap(n, meanBlock, seededRandom(seed + 1))) {
            equity *= 1 + returns[at]!
            high = Math.max(high, equity)
            worst = Math.min(worst, equity / high - 1)
          }
          assertNear("return", totalReturn.p50, equity - 1, 1e-12)
          assertNear("drawdown", drawdown.p50, worst, 1e-12)
          assertHolds(lossProbability === (equity < 1 ? 1 : 0), () => "loss")
        }
      )
    )).toBeUndefined()
  })

  it("train rolling folds on a multiple of the test length, and tile the newest bars with test windows", () => {
    expect(findCounterexample(
      1000,
      fc.property(
        fc.integer({ min: 30, max: 20_000 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 5 }),
        (bars, folds, ratio) => {
          const foldList = rollingFolds(bars, folds, ratio)
          assertHolds(foldList.length === folds && foldList.at(-1)!.test.to === bars, () => "the end")
          assertHolds(foldList[0]!.train.from >= 0 && foldList[0]!.train.from < folds + ratio, () => "the beginning")
          foldList.forEach(({ test, train }, i) => {
            assertHolds(
              train.to === test.from && train.to - train.from === ratio * (test.to - test.from),
              () => "lengths"
            )
            assertHolds(i === 0 || foldList[i - 1]!.test.to === test.from, () => "tiles")
          })
        }
      )
    )).toBeUndefined()
    expect(() => rollingFolds(10, 12, 3)).toThrow(/too few for 12 folds/)
  })
})
