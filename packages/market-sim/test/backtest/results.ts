import { assert, layer as withLayer } from "@effect/vitest"
import { CoinDerivatives, dayMs, hourMs } from "@tapeline/core"
import {
  compareStrategies,
  getPositioningHistory,
  getPriceHistory,
  getScoreHistory,
  runBacktest,
  runMonteCarlo,
  runWalkForward
} from "@tapeline/core/specifications"
import { callTool } from "@tapeline/testing/toolCalls"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { layerEngineOver } from "../support/engine.ts"
import { layerCompleteMarket, now } from "../support/markets.ts"

const trendStrategy = {
  entry: [{ left: "price", op: "cross_above", right: "sma(20)" }],
  exit: [{ left: "price", op: "cross_below", right: "sma(20)" }],
  stop_atr: 1.5,
  max_bars: 40
} as const
const crossingStrategy = {
  entry: [{ left: "ema(12)", op: "cross_above", right: "ema(40)" }, { left: "score", op: "gt", right: -30 }],
  exit: [{ left: "ema(12)", op: "cross_below", right: "ema(40)" }],
  side: "both"
} as const
const alwaysEntry = { entry: [{ left: "price", op: "gt", right: 0 }] } as const
const neverEntry = { entry: [{ left: "price", op: "lt", right: 0 }] } as const

interface Bar {
  readonly time: string
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
}

const computeMean = (x: ReadonlyArray<number>): number => x.reduce((sum, one) => sum + one, 0) / x.length

const computeAtr = (bars: ReadonlyArray<Bar>): number => {
  const ranges = bars.slice(1).map(({ high, low }, i) => Math.max(high, bars[i]!.close) - Math.min(low, bars[i]!.close))
  return ranges.slice(14).reduce((atr, range) => (13 * atr + range) / 14, computeMean(ranges.slice(0, 14)))
}

/** Computes `trendStrategy` over the last `n` bars: long only, with costs of 5 and 2 basis points per side. */
const computeTrendByHand = (bars: ReadonlyArray<Bar>, n: number, getFundingPaid: (time: number) => number) => {
  const first = bars.length - n
  const isAbove = (i: number): boolean =>
    bars[i]!.close > computeMean(bars.slice(i - 19, i + 1).map(({ close }) => close))
  const trades: Array<
    { entered_at: string; exited_at: string; entry: number; exit: number; reason: string; gain: number }
  > = []
  for (let i = first; i < bars.length - 1; i++) {
    if (!isAbove(i) || isAbove(i - 1)) continue
    const entry = bars[i + 1]!.open * 1.0002
    const stop = entry - 1.5 * computeAtr(bars.slice(0, i + 1))
    let fundingPaid = 0
    for (let j = i + 1;; j++) {
      const bar = bars[j]!
      const closeTrade = (at: number, price: number, reason: string) => {
        const exit = price * 0.9998
        trades.push({
          entered_at: bars[i + 1]!.time,
          exited_at: bars[at]!.time,
          entry,
          exit,
          reason,
          gain: (exit - entry) / entry - 0.0005 * (1 + exit / entry) - fundingPaid
        })
        i = at - 1
      }
      if (bar.low <= stop) {
        closeTrade(j, Math.min(bar.open, stop), "stop")
        // The close of the bar that triggered the stop may be the next entry signal.
        break
      }
      fundingPaid += (getFundingPaid(Date.parse(bar.time) + hourMs) * bar.close) / entry
      if (j === bars.length - 1) {
        closeTrade(j, bar.close, "end")
        i = bars.length
        break
      }
      const isBelow = !isAbove(j) && isAbove(j - 1)
      if (isBelow || j - i >= 40) {
        closeTrade(j + 1, bars[j + 1]!.open, isBelow ? "signal" : "max_bars")
        break
      }
    }
  }
  return trades
}

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 120_000 })(
  "backtests recomputed over the simulated market",
  (it) => {
    it.effect("a backtest equals one recomputed by hand from candles and funding", () =>
      Effect.gen(function*() {
        yield* TestClock.setTime(now)
        const result = yield* callTool(runBacktest, { coin: "ETH", strategy: trendStrategy, bars: 300 })
        const history = yield* callTool(getPriceHistory, { coin: "ETH", bars: 1000 })
        const bars = history.candles.filter(({ closed }) => closed === undefined)
        const prints = yield* (yield* CoinDerivatives).fundingPayments({ coin: "ETH", from: now - 20 * dayMs, to: now })
        const rates = new Map(
          prints.value.map(({ fundingRate, time }) => [Math.floor(time / hourMs) * hourMs, fundingRate])
        )
        assert.isAbove(rates.size, 30)
        const trades = computeTrendByHand(bars, 300, (time) => rates.get(time) ?? 0)
        assert.isAbove(trades.length, 5)
        assert.strictEqual(result.from, bars.at(-300)!.time)
        assert.strictEqual(result.metrics.trades, trades.length)
        for (const [k, { entered_at, entry, exit, exited_at, gain, reason }] of trades.entries()) {
          const trade = result.trades[k]!
          assert.deepStrictEqual([trade.side, trade.entered_at, trade.exited_at], ["long", entered_at, exited_at])
          assert.strictEqual<string>(trade.reason, reason)
          assert.closeTo(trade.entry / entry, 1, 1e-7)
          assert.closeTo(trade.exit / exit, 1, 1e-7)
          assert.closeTo(trade.return, gain, 1e-6)
        }
        const total = trades.reduce((product, { gain }) => product * (1 + gain), 1) - 1
        assert.closeTo(result.metrics.return, total, 2e-6)
        assert.closeTo(result.equity.at(-1)!.equity, 1 + result.metrics.return, 1e-9)
        assert.strictEqual(result.equity.at(-1)!.time, result.to)
        assert.closeTo(result.metrics.win_rate!, computeMean(trades.map(({ gain }) => gain > 0 ? 1 : 0)), 1e-6)
        const last = bars.at(-300 + 1)!.open * 1.0002
        const exitPrice = bars.at(-1)!.close * 0.9998
        const fundingPaid = bars.slice(-299).reduce(
          (sum, { close, time }) => sum + ((rates.get(Date.parse(time) + hourMs) ?? 0) * close) / last,
          0
        )
        assert.closeTo(
          result.buy_and_hold.return,
          exitPrice / last - 1 - 0.0005 * (1 + exitPrice / last) - fundingPaid,
          2e-6
        )
      }))

    it.effect("a walk-forward over one value equals a plain backtest of each window, run at the window's end", () =>
      Effect.gen(function*() {
        yield* TestClock.setTime(now)
        const ranges = [{ path: "entry[1].right", values: [-30] }]
        const result = yield* callTool(runWalkForward, {
          coin: "BTC",
          strategy: crossingStrategy,
          ranges,
          bars: 1003,
          folds: 2
        })
        assert.deepInclude(result, { combinations: 1, trials: 1 })
        let level = 1
        let trades = 0
        for (const { chosen, test, train } of result.folds) {
          assert.deepStrictEqual(chosen, [{ path: "entry[1].right", value: -30 }])
          assert.deepStrictEqual([train.bars, test.bars, train.to], [600, 200, test.from])
          for (const { bars, from, to, ...backtestFields } of [test, train]) {
            yield* TestClock.setTime(Date.parse(to))
            const backtest = yield* callTool(runBacktest, { coin: "BTC", strategy: crossingStrategy, bars })
            assert.deepStrictEqual([backtest.from, backtest.to], [from, to])
            const { max_drawdown_pct, return: gain, sharpe, trades } = backtest.metrics
            assert.deepStrictEqual(backtestFields, { max_drawdown_pct, return: gain, sharpe, trades })
          }
          level *= 1 + test.return
          trades += test.trades
        }
        assert.strictEqual(result.folds[1]!.test.from, result.folds[0]!.test.to)
        assert.isAbove(trades, 3)
        assert.closeTo(result.out_of_sample.return, level - 1, 1e-5)
        assert.strictEqual(result.out_of_sample.trades, trades)
        const sharpes = (part: "test" | "train") => computeMean(result.folds.map((fold) => fold[part].sharpe ?? 0))
        if (result.degradation_pct !== null) {
          assert.closeTo(result.degradation_pct, 100 * (1 - sharpes("test") / sharpes("train")), 1e-2)
        }
      }))
  }
)

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 120_000 })(
  "walk-forwards recomputed over the simulated market",
  (it) => {
    it.effect("each fold chooses the best training Sharpe ratio, and a value at a range's edge adds a warning", () =>
      Effect.gen(function*() {
        yield* TestClock.setTime(now)
        const ranges = [{ path: "max_bars", values: [1, 2, 3] }, { path: "stop_atr", values: [1, 4] }]
        const question = { coin: "SOL", strategy: trendStrategy, ranges, bars: 800, folds: 2 } as const
        const result = yield* callTool(runWalkForward, question)
        assert.strictEqual(result.combinations, 6)
        const variants = ranges[0]!.values.flatMap((max_bars) =>
          ranges[1]!.values.map((stop_atr) => ({ max_bars, stop_atr }))
        )
        let atEdge = 0
        for (const { chosen, train } of result.folds) {
          yield* TestClock.setTime(Date.parse(train.to))
          const sharpes: Array<number> = []
          for (const variant of variants) {
            const { metrics } = yield* callTool(runBacktest, {
              coin: "SOL",
              strategy: { ...trendStrategy, ...variant },
              bars: train.bars
            })
            sharpes.push(metrics.sharpe ?? -Infinity)
          }
          const best = variants[sharpes.indexOf(Math.max(...sharpes))]!
          assert.deepStrictEqual(Object.fromEntries(chosen.map(({ path, value }) => [path, value])), best)
          assert.strictEqual(train.sharpe, Math.max(...sharpes))
          if (best.max_bars !== 2) atEdge++
        }
        assert.strictEqual(
          result.warnings.some((text) => text.startsWith("max_bars was chosen at the edge")),
          atEdge > 0
        )
      }))

    it.effect("a backtest run later has the same past trades, so it does not look ahead", () =>
      Effect.gen(function*() {
        yield* TestClock.setTime(now)
        const fullBacktest = yield* callTool(runBacktest, { coin: "BTC", strategy: crossingStrategy, bars: 900 })
        assert.isBelow(fullBacktest.metrics.trades, 50)
        for (const earlier of [100, 333, 600]) {
          yield* TestClock.setTime(now - earlier * hourMs)
          const part = yield* callTool(runBacktest, {
            coin: "BTC",
            strategy: crossingStrategy,
            bars: 900 - earlier
          })
          const over = (trades: typeof fullBacktest.trades) =>
            trades.filter(({ exited_at }) => Date.parse(exited_at) < Date.parse(part.to) - hourMs)
          assert.strictEqual(part.from, fullBacktest.from)
          assert.deepStrictEqual(over(part.trades), over(fullBacktest.trades))
        }
      }))
  }
)

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 120_000 })(
  "strategy comparisons and Monte Carlo over the simulated market",
  (it) => {
    it.effect("compared strategies have the metrics of their own backtests, and fees never raise a return", () =>
      Effect.gen(function*() {
        yield* TestClock.setTime(now)
        const strategies = [trendStrategy, crossingStrategy, neverEntry, trendStrategy, alwaysEntry]
        const shared = { coin: "BTC", tf: "4h", bars: 500 } as const
        const result = yield* callTool(compareStrategies, { ...shared, strategies })
        for (const [i, strategy] of strategies.entries()) {
          const { buy_and_hold, metrics, warnings } = yield* callTool(runBacktest, { ...shared, strategy })
          assert.deepStrictEqual(result.rows[i], { strategy: i, ...metrics })
          assert.deepStrictEqual(result.buy_and_hold, buy_and_hold)
          for (const warning of warnings) {
            assert.isTrue(result.warnings.some((text) => text === warning || text === `strategies.${i}: ${warning}`))
          }
          if (strategy === alwaysEntry) assert.deepStrictEqual(metrics, buy_and_hold)
          const costlyBacktest = yield* callTool(runBacktest, { ...shared, strategy, fee_bps: 10 })
          assert.isAtMost(costlyBacktest.metrics.return, metrics.return)
          const free = yield* callTool(runBacktest, { ...shared, strategy, fee_bps: 0, slippage_bps: 0 })
          assert.isTrue(free.warnings.some((text) => text.startsWith("No fees and no slippage")))
        }
        assert.deepInclude(result.rows[2], { return: 0, sharpe: null, win_rate: null, trades: 0 })
        assert.include(result.warnings.join(), "strategies.2: It never traded.")
        assert.include(result.warnings.join(), "strategies.2: Never true: entry.0.")
        assert.include(result.notes.join(), "strategies.2: Null: sharpe (the equity did not change)")
        const sharpes = result.ranking.map((i) => result.rows[i]!.sharpe ?? -Infinity)
        assert.deepStrictEqual(sharpes, sharpes.toSorted((a, b) => b - a))
        assert.deepStrictEqual(result.ranking.toSorted((a, b) => a - b), [0, 1, 2, 3, 4])
        assert.strictEqual(result.correlation[0]![3], 1)
        assert.isNull(result.correlation[2]![0]!)
        assert.deepStrictEqual(result.correlation[0]![1], result.correlation[1]![0])
      }))

    it.effect("a Monte Carlo run repeats from its seed, and its percentiles and ruin probabilities are monotonic", () =>
      Effect.gen(function*() {
        yield* TestClock.setTime(now)
        const question = { coin: "ETH", strategy: trendStrategy, bars: 600, paths: 400 } as const
        const result = yield* callTool(runMonteCarlo, question)
        assert.deepStrictEqual(yield* callTool(runMonteCarlo, { ...question, seed: 1 }), result)
        const other = yield* callTool(runMonteCarlo, { ...question, seed: 2 })
        assert.notDeepEqual(other.percentiles, result.percentiles)
        const { metrics } = yield* callTool(runBacktest, { coin: "ETH", strategy: trendStrategy, bars: 600 })
        assert.deepStrictEqual(result.observed, metrics)
        for (const { p5, p25, p50, p75, p95 } of Object.values(result.percentiles)) {
          assert.isTrue(p5 <= p25 && p25 <= p50 && p50 <= p75 && p75 <= p95)
        }
        assert.isAtMost(result.percentiles.max_drawdown_pct.p95, 0)
        let before = 1
        for (const ruin_pct of [0.5, 2, 5, 100]) {
          const { ruin_probability } = yield* callTool(runMonteCarlo, { ...question, ruin_pct })
          assert.isAtMost(ruin_probability, before)
          before = ruin_probability
        }
        assert.strictEqual(before, 0)
        // A block is as long as the window, so each path is a rotation of the window with the same product of returns.
        const longBlockResult = yield* callTool(runMonteCarlo, {
          ...question,
          strategy: alwaysEntry,
          mean_block: 20_000,
          paths: 100
        })
        const { p25, p75 } = longBlockResult.percentiles.return
        assert.isTrue(p25 - 0.02 <= longBlockResult.observed.return && longBlockResult.observed.return <= p75 + 0.02)
        const emptyMonteCarlo = yield* callTool(runMonteCarlo, { ...question, strategy: neverEntry })
        assert.deepInclude(emptyMonteCarlo, { ruin_probability: 0, loss_probability: 0 })
      }))
  }
)

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 120_000 })("operands over the simulated market", (it) => {
  it.effect("an operand's value equals the value that other tools return for that instant", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const countEntries = (left: string, value: number) =>
        Effect.map(
          callTool(runBacktest, {
            coin: "BTC",
            strategy: {
              entry: [
                { left, op: "gt", right: value - 1e-6 * Math.abs(value) - 1e-9 },
                { left, op: "lt", right: value + 1e-6 * Math.abs(value) + 1e-9 }
              ],
              max_bars: 1
            },
            bars: 200
          }),
          ({ trades }) => trades.map(({ entered_at }) => entered_at)
        )
      const { candles } = yield* callTool(getPriceHistory, { coin: "BTC", bars: 80 })
      const scores = yield* callTool(getScoreHistory, { coin: "BTC", hours: 60 })
      const positions = yield* callTool(getPositioningHistory, { coin: "BTC", hours: 60 })
      const at = <Row extends { readonly time: string }>(rows: ReadonlyArray<Row>, time: number): Row =>
        rows.find((row) => row.time === new Date(time).toISOString())!
      for (const back of [7, 30, 55]) {
        const close = Math.floor(now / hourMs) * hourMs - back * hourMs
        const opensAt = new Date(close).toISOString()
        const day = candles.filter(({ time }) =>
          Date.parse(time) >= Math.floor((close - 1) / dayMs) * dayMs && Date.parse(time) < close
        )
        const volume = day.reduce((sum, candle) => sum + candle.volume, 0)
        const vwap = day.reduce((sum, c) => sum + ((c.high + c.low + c.close) / 3) * (c.volume / volume), 0)
        assert.include(yield* countEntries("vwap", vwap), opensAt)
        assert.include(yield* countEntries("score", at(scores.points, close).score), opensAt)
        const { funding_rate_pct, open_interest } = at(positions.points, close)
        assert.include(yield* countEntries("funding", funding_rate_pct!), opensAt)
        assert.include(yield* countEntries("open_interest", open_interest!), opensAt)
      }
    }))
})
