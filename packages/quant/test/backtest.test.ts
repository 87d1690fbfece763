import {
  backtest,
  type BacktestOptions,
  type BacktestSignals,
  buyAndHold,
  type Condition,
  equityReturns,
  fundingPerBar,
  maxDrawdown,
  seededRandom,
  type Strategy,
  strategyGrid,
  strategySignals,
  strategyWith,
  summarise
} from "@tapeline/quant"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { assertHolds, assertNear, findCounterexample } from "./propertyTesting.ts"
import { type Bars, eachColumn, randomBars } from "./randomBars.ts"

const free = { feeBps: 0, slippageBps: 0 }

function rows(...list: ReadonlyArray<readonly [number, number, number, number]>): Omit<Bars, "volume"> {
  return {
    open: list.map((r) => r[0]),
    high: list.map((r) => r[1]),
    low: list.map((r) => r[2]),
    close: list.map((r) => r[3])
  }
}

const flat = (price: number): [number, number, number, number] => [price, price, price, price]

describe("a backtest", () => {
  it("fills a close's signal at the next open, with fee and slippage on both sides", () => {
    const bars = rows(flat(100), [110, 120, 110, 120], [130, 130, 125, 125], flat(125))
    const { trades, equity } = backtest(bars, { enter: [1, 0, 0, 0], exit: [0, 1, 0, 0] }, {
      feeBps: 10,
      slippageBps: 20
    })
    const entry = 110 * 1.002
    const exit = 130 * 0.998
    expect(trades).toHaveLength(1)
    expect(trades[0]).toMatchObject({ side: "long", entryIndex: 1, exitIndex: 2, reason: "signal", bars: 1 })
    expect(trades[0]!.entry).toBeCloseTo(entry, 12)
    expect(trades[0]!.return).toBeCloseTo((exit - entry) / entry - 0.001 * (1 + exit / entry), 12)
    expect(equity[1]).toBeCloseTo(1 - 0.001 + (120 - entry) / entry, 12)
    expect(equity[3]).toBeCloseTo(1 + trades[0]!.return, 12)
  })

  it("takes the stop if a bar touches stop and take", () => {
    const bars = rows(flat(100), flat(100), [100, 120, 80, 100], flat(100))
    const signals = { enter: [1, 0, 0, 0], stopDistance: [10, 10, 10, 10], takeDistance: [10, 10, 10, 10] }
    expect(backtest(bars, signals, free).trades[0]).toMatchObject({ reason: "stop", exit: 90, exitIndex: 2 })
    expect(backtest(bars, { ...signals, enter: [-1, 0, 0, 0] }, free).trades[0]).toMatchObject({
      reason: "stop",
      exit: 110
    })
  })

  it("fills a gap at the open, and a stop on the entry bar at the stop", () => {
    const signals = { enter: [1, 0, 0], stopDistance: [10, 0, 0], takeDistance: [10, 0, 0] }
    expect(backtest(rows(flat(100), flat(100), flat(70)), signals, free).trades[0]).toMatchObject({
      reason: "stop",
      exit: 70
    })
    expect(backtest(rows(flat(100), flat(100), flat(130)), signals, free).trades[0]).toMatchObject({
      reason: "take",
      exit: 130
    })
    expect(backtest(rows(flat(100), [100, 100, 85, 88], flat(88)), signals, free).trades[0]).toMatchObject({
      reason: "stop",
      exit: 90,
      exitIndex: 1,
      bars: 1
    })
    const slippedBacktest = backtest(rows(flat(100), flat(100), flat(100)), {
      enter: [1, 0, 0],
      stopDistance: [0.5, 0, 0]
    }, {
      feeBps: 0,
      slippageBps: 100
    })
    expect(slippedBacktest.trades[0]).toMatchObject({ reason: "stop", entry: 101, exit: 99 })
  })

  it("reverses, times out, and closes at the end", () => {
    const bars = rows(flat(100), flat(100), flat(110), flat(121), flat(121))
    const reversed = backtest(bars, { enter: [1, -1, 0, 0, 0] }, free)
    expect(reversed.trades.map(({ side, entryIndex, exitIndex, reason }) => [side, entryIndex, exitIndex, reason]))
      .toEqual([
        ["long", 1, 2, "reverse"],
        ["short", 2, 4, "end"]
      ])
    const backtestWithMaxBars = backtest(bars, { enter: [1, 0, 0, 0, 0] }, { ...free, maxBars: 2 })
    expect(backtestWithMaxBars.trades[0]).toMatchObject({ entryIndex: 1, exitIndex: 3, reason: "max_bars", bars: 2 })
    expect(backtestWithMaxBars.exposure).toBe(0.4)
    expect(backtest(bars, { enter: [0, 0, 0, 0, 1] }, free).trades).toEqual([])
    expect(backtest(bars, { enter: [1, 0, 0, 0, 0], exit: [1, 0, 0, 0, 0] }, free).trades).toEqual([])
  })

  it("charges funding to positions that are open at the close, and pays it to shorts", () => {
    const bars = rows(flat(100), flat(100), flat(100), flat(100))
    const funding = [0.5, 0.01, 0.02, 0.5]
    const signals = { enter: [1, 0, 0, 0], exit: [0, 0, 1, 0] }
    expect(backtest(bars, signals, { ...free, funding }).trades[0]!.return).toBeCloseTo(-0.03, 12)
    expect(backtest(bars, { ...signals, enter: [-1, 0, 0, 0] }, { ...free, funding }).trades[0]).toMatchObject({
      funding: -0.03
    })
    expect(fundingPerBar([0, 60, 120], [0, 1, 60, 61, 180], [1, 2, 4, 8, 16])).toEqual(Float64Array.of(6, 8, 16))
  })

  it("ends with ruin, after which equity stays 0", () => {
    const bars = rows(flat(100), flat(100), flat(250), flat(100), flat(100))
    const { equity, trades } = backtest(bars, { enter: [-1, 1, 1, 1, 0] }, free)
    expect(trades).toHaveLength(1)
    expect(trades[0]).toMatchObject({ reason: "ruin", return: -1 })
    expect(Array.from(equity)).toEqual([1, 1, 0, 0, 0])
    expect(Array.from(equityReturns(equity))).toEqual([0, 0, -1, 0, 0])
  })

  it("ruins a position within the bar in which the loss reaches the equity, for any close", () => {
    const signal = { enter: [1, 0, 0, 0] }
    const barsWithDip = rows(flat(100), flat(100), [100, 101, 78, 100], flat(100))
    const long = backtest(barsWithDip, signal, { ...free, leverage: 5 })
    expect(long.trades[0]).toMatchObject({ reason: "ruin", exitIndex: 2, return: -1 })
    expect(long.trades[0]!.exit).toBeCloseTo(80, 12)
    expect(Array.from(long.equity)).toEqual([1, 1, 0, 0])
    // At a leverage of 4.5, the loss is slightly less than the equity.
    expect(backtest(barsWithDip, signal, { ...free, leverage: 4.5 }).trades[0]).toMatchObject({
      reason: "end",
      return: 0
    })
    const spike = rows(flat(100), flat(100), [100, 200, 90, 100], flat(100))
    const short = backtest(spike, { enter: [-1, 0, 0, 0] }, free)
    expect(short.trades[0]).toMatchObject({ reason: "ruin", exit: 200, exitIndex: 2, return: -1 })
    // The order within a bar is unknown, so a bar that reaches both the ruin price and a take-profit counts as ruin.
    const stopAt = (distance: number) => ({ ...signal, stopDistance: [distance, 0, 0, 0] })
    expect(backtest(barsWithDip, stopAt(15), { ...free, leverage: 5 }).trades[0]).toMatchObject({
      reason: "stop",
      exit: 85
    })
    expect(backtest(barsWithDip, stopAt(21), { ...free, leverage: 5 }).trades[0]).toMatchObject({ reason: "ruin" })
    const taking = { ...signal, takeDistance: [1, 0, 0, 0] }
    expect(backtest(barsWithDip, taking, { ...free, leverage: 5 }).trades[0]).toMatchObject({
      reason: "ruin",
      exitIndex: 2
    })
    // Fees and funding move the ruin price closer to the entry: at a leverage of 5, the position is ruined after a fall
    // of (1 - 0.005 - 0.095) / 5.
    const funding = [0, 0.019, 0, 0]
    const costlyOptions = { feeBps: 10, slippageBps: 0, funding, leverage: 5 }
    const shallow = rows(flat(100), flat(100), [100, 100, 82, 100], flat(100))
    expect(backtest(shallow, signal, costlyOptions).trades[0]!.exit).toBeCloseTo(
      100 * (1 - (1 - 0.005 - 0.095) / 5),
      12
    )
    expect(backtest(shallow, signal, { ...costlyOptions, funding: [0, 0, 0, 0] }).trades[0]).toMatchObject({
      reason: "end"
    })
  })

  it("has a null growth rate if its value per year overflows", () => {
    const price = Array.from({ length: 10 }, (_, i) => 100 * 1.01 ** i)
    const bars = rows(...price.map(flat))
    const summary = summarise(buyAndHold(bars, free), 525_600)
    expect(summary.cagr).toBeNull()
    expect(summary.calmar).toBeNull()
    expect(summary.totalReturn).toBeCloseTo(1.01 ** 8 - 1, 12)
    expect(summary.sharpe).toBeGreaterThan(0)
  })

  it("handles empty input, and rejects invalid input", () => {
    const noBars: number[] = []
    expect(backtest({ open: noBars, high: noBars, low: noBars, close: noBars }, { enter: noBars })).toEqual({
      equity: new Float64Array(0),
      trades: [],
      exposure: 0
    })
    expect(buyAndHold({ open: noBars, high: noBars, low: noBars, close: noBars }).trades).toEqual([])
    expect(() => backtest(rows(flat(0)), { enter: [0] })).toThrow(/open\[0\]/)
    expect(() => backtest(rows([1, 2, 1.5, 2]), { enter: [0] })).toThrow(/bar 0 is not a valid bar/)
    expect(() => backtest(rows(flat(1)), { enter: [NaN] })).toThrow(/enter\[0\]/)
    expect(() => backtest(rows(flat(1)), { enter: [0], stopDistance: [-1] })).toThrow(/stopDistance\[0\]/)
    expect(() => backtest(rows(flat(1)), { enter: [0] }, { feeBps: -1 })).toThrow(/feeBps/)
  })
})

interface BacktestCase {
  readonly bars: Bars
  readonly signals: Required<BacktestSignals>
  readonly options: BacktestOptions
}

const trial = fc.tuple(
  fc.integer(),
  fc.integer({ min: 1, max: 300 }),
  fc.record({
    feeBps: fc.integer({ min: 0, max: 50 }),
    slippageBps: fc.integer({ min: 0, max: 50 }),
    maxBars: fc.integer({ min: 1, max: 40 }),
    leverage: fc.constantFrom(0.5, 1, 5)
  })
).map(([seed, length, costs]): BacktestCase => {
  const random = seededRandom(seed)
  const bars = randomBars(random, length)
  const some = (share: number, value: (i: number) => number): number[] =>
    bars.close.map((_, i) => (random() < share ? value(i) : 0))
  return {
    bars,
    signals: {
      enter: some(0.2, () => (random() < 0.5 ? 1 : -1)),
      exit: some(0.1, () => 1),
      stopDistance: some(0.7, (i) => bars.close[i]! * random() * 0.02),
      takeDistance: some(0.7, (i) => bars.close[i]! * random() * 0.02)
    },
    options: { ...costs, funding: some(0.1, () => (random() - 0.5) * 0.001) }
  }
})

describe("backtests of random bars", () => {
  it("have a final equity equal to the product of the trades, and the drawdown of the curve", () => {
    expect(findCounterexample(
      5000,
      fc.property(trial, ({ bars, signals, options }) => {
        const result = backtest(bars, signals, options)
        assertNear(
          "equity",
          result.equity.at(-1)!,
          result.trades.reduce((product, t) => product * (1 + t.return), 1),
          1e-12
        )
        let high = 1
        let worst = 0
        for (const value of result.equity) {
          high = Math.max(high, value)
          worst = Math.min(worst, value / high - 1)
        }
        assertNear("drawdown", maxDrawdown(equityReturns(result.equity)), worst, 1e-9)
        const summary = summarise(result, 365)
        assertNear("return", summary.totalReturn, result.equity.at(-1)! - 1, 1e-12)
        assertHolds(summary.exposure >= 0 && summary.exposure <= 1, () => `exposure ${summary.exposure}`)
      })
    )).toBeUndefined()
  })

  it("have trades that do not overlap, follow a signal, and fill within their bar", () => {
    expect(findCounterexample(
      3000,
      fc.property(trial, ({ bars, signals, options }) => {
        const { trades } = backtest(bars, signals, { ...options, slippageBps: 0 })
        trades.forEach((t, j) => {
          assertHolds(Math.sign(signals.enter[t.entryIndex - 1]!) === (t.side === "long" ? 1 : -1), () => "no signal")
          assertHolds(t.entry === bars.open[t.entryIndex], () => "entry")
          assertHolds(
            t.exit >= bars.low[t.exitIndex]! * (1 - 1e-12) && t.exit <= bars.high[t.exitIndex]! * (1 + 1e-12),
            () => "exit outside its bar"
          )
          const next = trades[j + 1]
          assertHolds(next === undefined || next.entryIndex >= t.exitIndex, () => "overlap")
          assertHolds(t.bars <= options.maxBars!, () => "held too long")
        })
      })
    )).toBeUndefined()
  })

  it("have a lower or equal return with higher costs", () => {
    expect(findCounterexample(
      1000,
      fc.property(trial, ({ bars, signals }) => {
        const signalsWithoutStops = { enter: signals.enter, exit: signals.exit }
        const cheap = backtest(bars, signalsWithoutStops, { feeBps: 1, slippageBps: 1 }).equity.at(-1)!
        const costlyEquity = backtest(bars, signalsWithoutStops, { feeBps: 9, slippageBps: 1 }).equity.at(-1)!
        assertHolds(costlyEquity <= cheap + 1e-12, () => `${costlyEquity} above ${cheap}`)
      })
    )).toBeUndefined()
  })

  it("do not look ahead: future bars change neither past equity nor closed trades", () => {
    expect(findCounterexample(
      2000,
      fc.property(trial, fc.nat(), ({ bars, signals, options }, at) => {
        const knownBars = 1 + (at % bars.close.length)
        const takeKnown = (x: ArrayLike<number>): number[] => Array.from(x).slice(0, knownBars)
        const fullBacktest = backtest(bars, signals, options)
        const part = backtest(
          {
            open: takeKnown(bars.open),
            high: takeKnown(bars.high),
            low: takeKnown(bars.low),
            close: takeKnown(bars.close)
          },
          {
            enter: takeKnown(signals.enter),
            exit: takeKnown(signals.exit!),
            stopDistance: takeKnown(signals.stopDistance!),
            takeDistance: takeKnown(signals.takeDistance!)
          },
          { ...options, funding: takeKnown(options.funding!) }
        )
        // The last bar of the shortened series is not compared, because the backtest closes open positions at this bar,
        // at a cost.
        for (let i = 0; i < knownBars - 1; i++) {
          assertHolds(fullBacktest.equity[i] === part.equity[i], () => `equity[${i}]`)
        }
        const tradesBeforeCut = (list: typeof fullBacktest.trades): string =>
          JSON.stringify(list.filter((t) => t.exitIndex < knownBars - 1))
        assertHolds(tradesBeforeCut(fullBacktest.trades) === tradesBeforeCut(part.trades), () => "trades")
      })
    )).toBeUndefined()
  })
})

describe("strategies", () => {
  const operand = fc.constantFrom(
    "price",
    "rsi(7)",
    "ema(5)",
    "sma(9)",
    "macd",
    "macd.signal",
    "bollinger.upper",
    "bollinger(10, 1).lower",
    "atr(5)",
    "adx(5)",
    "highest(8)",
    "lowest(8)",
    "vwap",
    50,
    1
  )
  const condition = fc.record({
    left: operand,
    op: fc.constantFrom<Condition["op"]>("gt", "lt", "cross_above", "cross_below"),
    right: operand
  })
  const strategy = fc.record({
    entry: fc.array(condition, { minLength: 1, maxLength: 2 }),
    exit: fc.array(condition, { maxLength: 2 }),
    side: fc.constantFrom<NonNullable<Strategy["side"]>>("long", "short", "both"),
    stop_atr: fc.constantFrom(0, 1.5),
    take_atr: fc.constantFrom(0, 2)
  })
  const bars = fc.integer().map((seed) => randomBars(seededRandom(seed), 150))

  it("have signals that do not look ahead", () => {
    expect(findCounterexample(
      2000,
      fc.property(strategy, bars, fc.integer({ min: 1, max: 150 }), (s, b, knownBars) => {
        const earlySignals = strategySignals(s, eachColumn(b, (x) => x.slice(0, knownBars)))
        const fullSignals = strategySignals(s, b)
        for (const key of ["enter", "exit", "stopDistance", "takeDistance"] as const) {
          const [series, earlySeries] = [earlySignals[key], fullSignals[key]]
          if (series === undefined || earlySeries === undefined) assertHolds(series === earlySeries, () => key)
          else {for (let i = 0; i < knownBars; i++) {
              assertHolds(Object.is(series[i], earlySeries[i]), () => `${key}[${i}]`)
            }}
        }
      })
    )).toBeUndefined()
  })

  it("run for any combination of operands and conditions", () => {
    expect(findCounterexample(
      1000,
      fc.property(strategy, bars, (s, b) => {
        const { equity } = backtest(b, strategySignals(s, b))
        assertHolds(equity.every((x) => Number.isFinite(x) && x >= 0), () => "equity")
      })
    )).toBeUndefined()
  })

  it("reverse between entry and exit with the side both", () => {
    const price = [10, 12, 8, 12]
    const market = { open: price, high: price, low: price, close: price, funding: [0, 1, NaN, 3] }
    const signals = strategySignals({
      side: "both",
      entry: [{ left: "price", op: "gt", right: 11 }],
      exit: [{ left: "price", op: "lt", right: 9 }]
    }, market)
    expect(Array.from(signals.enter)).toEqual([0, 1, -1, 1])
    expect(signals.exit).toBeUndefined()
    expect(Array.from(strategySignals({ entry: [{ left: "funding", op: "gt", right: 0 }] }, market).enter)).toEqual([
      0,
      1,
      0,
      1
    ])
  })

  it("report valid operands for an unknown one, and expand a grid", () => {
    const market = rows(flat(1), flat(1))
    const using = (left: string) => () => strategySignals({ entry: [{ left, op: "gt", right: 0 }] }, market)
    expect(using("volume")).toThrow(/unknown operand "volume"; use price/)
    expect(using("rsi(a)")).toThrow(/unknown operand/)
    expect(using("rsi(14, 2)")).toThrow(/unknown operand/)
    expect(using("price.upper")).toThrow(/unknown operand/)
    expect(using("constructor")).toThrow(/unknown operand/)
    expect(using(`rsi(${"0".repeat(100)}14)`)).toThrow(/unknown operand/)
    expect(using("adx(1)")).toThrow(/from 2 to 1000/)
    expect(using("highest(1001)")).toThrow(/from 1 to 1000/)
    expect(using("macd(26, 12)")).toThrow(/fast of "macd\(26, 12\)" must be below slow/)
    expect(using("vwap")).toThrow(/needs a series of volume/)
    expect(using("open_interest")).toThrow(/needs a series of open_interest/)
    expect(using("score")).toThrow(/needs a series of score/)
    expect(using("rsi(0)")).toThrow(/whole number/)
    expect(() => strategySignals({ entry: [] }, market)).toThrow(/at least one condition/)
    const base: Strategy = { entry: [{ left: "price", op: "gt", right: 1 }] }
    expect(strategyGrid(base, { "entry.0.right": [1, 2], take_atr: [1, 2, 3] })).toHaveLength(6)
    for (
      const path of ["entry.1.right", "exit.0.left", "entry.0", "entry.length", "__proto__.x", "entry.0.__proto__"]
    ) {
      expect(() => strategyGrid(base, { [path]: [1] })).toThrow(/does not exist in the strategy/)
    }
    expect(strategyWith(base, "entry[0].left", "rsi(7)").entry[0]!.left).toBe("rsi(7)")
    expect(strategyWith(base, "side", "short")).toEqual({ ...base, side: "short" })
    expect(() => strategyGrid(base, { "entry.0.right": [] })).toThrow(/empty/)
    expect(base.take_atr).toBeUndefined()
  })
})
