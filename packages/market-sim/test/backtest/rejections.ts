import { assert, layer as withLayer } from "@effect/vitest"
import { CoinPrices, hourMs, InvalidArguments, ToolCaller } from "@tapeline/core"
import { compareStrategies, runBacktest, runMonteCarlo, runWalkForward } from "@tapeline/core/specifications"
import { callByName, callExpectingFailure, callTool, makePayer, principal } from "@tapeline/testing/toolCalls"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { layerEngineOver } from "../support/engine.ts"
import { delistedAt, layerCompleteMarket, layerGappyMarket, now } from "../support/markets.ts"

const alwaysEntry = { entry: [{ left: "price", op: "gt", right: 0 }] } as const

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 60_000 })("invalid backtest arguments", (it) => {
  const issuesOf = (specification: { readonly name: string }, args: object) =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const caller = yield* ToolCaller
      const error = yield* Effect.flip(
        caller.call({ principal, name: specification.name, arguments: args, payer: makePayer() })
      )
      assert.instanceOf(error, InvalidArguments)
      return error.issues.map(({ message, path }) => [path.join("."), message] as const)
    })
  const condition = { left: "price", op: "gt", right: 1 }

  it.effect("are rejected with the path and the allowed values", () =>
    Effect.gen(function*() {
      const cases: ReadonlyArray<readonly [object, string, RegExp]> = [
        [{ entry: [condition, { ...condition, left: "volume" }] }, "strategy.entry.1.left", /one of price, rsi\(n\)/],
        [{ entry: [condition], exit: [{ ...condition, right: "rsi(0)" }] }, "strategy.exit.0.right", /up to 1000/],
        [{ entry: [{ ...condition, op: "gte" }] }, "strategy.entry.0.op", /"gt", "lt"/],
        [{ entry: [{ left: "price", op: "gt" }] }, "strategy.entry.0.right", /required/],
        [{ entry: [] }, "strategy.entry", /at least one item/],
        [{ entry: [condition], stop_atr: -1 }, "strategy.stop_atr", /greater than 0/],
        [{ entry: [condition], size: 2 }, "strategy.size", /known fields: entry, exit, side/],
        [{ exit: [condition] }, "strategy.entry", /required/]
      ]
      for (const [strategy, path, message] of cases) {
        const issues = yield* issuesOf(runBacktest, { coin: "BTC", strategy })
        assert.deepStrictEqual(issues.map(([at]) => at), [path], JSON.stringify(strategy))
        assert.match(issues[0]![1], message)
      }
    }))

  it.effect("include ranges, which are rejected with their path", () =>
    Effect.gen(function*() {
      const cases: ReadonlyArray<readonly [ReadonlyArray<object>, ReadonlyArray<string>, RegExp]> = [
        [[{ path: "entry.1.right", values: [1] }], ["ranges.0.path"], /place in the strategy/],
        [[{ path: "entry.length", values: [1] }], ["ranges.0.path"], /entry\.0\.right/],
        [[{ path: "__proto__", values: [1] }], ["ranges.0.path"], /place in the strategy/],
        [
          [{ path: "entry.0.right", values: [1] }, { path: "entry[0].right", values: [2] }],
          ["ranges.1.path"],
          /each in only one range/
        ],
        [
          [{ path: "entry.00.right", values: [1] }, { path: "entry[0].right", values: [2] }],
          ["ranges.1.path"],
          /each in only one range/
        ],
        [
          [{ path: "entry.0.left", values: ["rsi(7)", "rsy(9)"] }],
          ["ranges.0.values.1"],
          /this place of the strategy allows/
        ],
        [[{ path: "max_bars", values: [5, 0.5] }], ["ranges.0.values.1"], /this place of the strategy allows/],
        [
          [{ path: "max_bars", values: Array.from({ length: 15 }, (_, i) => i + 1) }, {
            path: "stop_atr",
            values: Array.from({ length: 14 }, (_, i) => i + 1)
          }],
          ["ranges"],
          /at most 200 combinations/
        ],
        [[], ["ranges"], /at least one item/]
      ]
      for (const [ranges, paths, message] of cases) {
        const issues = yield* issuesOf(runWalkForward, { coin: "BTC", strategy: { entry: [condition] }, ranges })
        assert.deepStrictEqual(issues.map(([at]) => at), paths, JSON.stringify(ranges).slice(0, 100))
        assert.match(issues[0]![1], message)
      }
    }))
})

withLayer(layerEngineOver(layerGappyMarket), { timeout: 120_000 })("backtests over a market with gaps", (it) => {
  it.effect("report missing data, and fail with no_data without any data", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const strategy = { ...alwaysEntry, stop_atr: 5 }
      const gappyBacktest = yield* callTool(runBacktest, { coin: "BTC", strategy, bars: 1200 })
      assert.match(gappyBacktest.warnings.join(" "), /\d+ bars not recorded/)
      assert.isBelow(gappyBacktest.bars, 1200)
      const delistedBacktest = yield* callTool(runBacktest, { coin: "LTC", strategy, bars: 200 })
      assert.include(
        delistedBacktest.warnings.join(" "),
        `LTC stopped trading at ${new Date(delistedAt).toISOString()}`
      )
      assert.strictEqual(delistedBacktest.as_of, new Date(delistedAt).toISOString())
      const long = yield* callTool(runBacktest, { coin: "BTC", strategy, tf: "1d", bars: 20_000 })
      assert.match(long.warnings.join(" "), /Only \d+ of 20000 bars exist/)
      const stable = yield* callTool(runBacktest, { coin: "USDT", strategy, bars: 200 })
      assert.include(stable.warnings, "No funding of USDT is recorded, so no funding is charged.")
      assert.strictEqual(stable.funding_pct, 0)
      for (const left of ["funding", "open_interest", "score"]) {
        const backtestArguments = {
          coin: "USDT",
          strategy: { entry: [{ left, op: "gt" as const, right: 0 }] },
          bars: 200
        }
        assert.deepInclude(yield* callExpectingFailure(runBacktest, backtestArguments), {
          code: "no_data",
          retryable: false
        })
        const known = yield* callTool(runBacktest, { ...backtestArguments, coin: "ETH", bars: 1200 })
        // For every recorded candle, the data of its score is recorded too.
        if (left !== "score") assert.match(known.warnings.join(" "), / is unknown at \d+ of \d+ closes/)
      }
    }))
})

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 60_000 })("backtests of a recently listed coin", (it) => {
  it.effect("fail with no_data on too few closed candles, and report how many exist", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const coins = (yield* (yield* CoinPrices).coins).value
      const { coin, listedAt } = coins.find(({ isStablecoin, listedAt }) =>
        !isStablecoin && listedAt > coins[0]!.listedAt
      )!
      const strategy = { ...alwaysEntry, stop_atr: 2 }
      const ranges = [{ path: "max_bars", values: [2, 3] }]
      for (const hours of [1, 2, 30]) {
        yield* TestClock.setTime(listedAt + hours * hourMs + 60_000)
        for (
          const { args, name, requiredBars } of [
            { name: runBacktest.name, args: { strategy }, requiredBars: 2 },
            { name: compareStrategies.name, args: { strategies: [strategy, alwaysEntry] }, requiredBars: 2 },
            { name: runMonteCarlo.name, args: { strategy }, requiredBars: 2 },
            { name: runWalkForward.name, args: { strategy, ranges, folds: 2 }, requiredBars: 25 }
          ]
        ) {
          const { data, failure } = yield* callByName(name, { coin, ...args })
          if (hours < requiredBars) assert.deepInclude(failure, { code: "no_data", retryable: false }, name)
          else assert.match(JSON.stringify(data), new RegExp(`Only ${hours} of 2000 bars exist`), name)
        }
      }
    }))
})
