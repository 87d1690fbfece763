/**
 * Measures how fast the simulated market returns data, and compares the durations with goals. The goals for 1,000
 * candles of one coin are 20 ms for candles of up to an hour, and 100 ms for longer candles. The goals for an overview
 * of 40 coins with their scores are 300 ms cold and 30 ms warm. `npm run market -w @tapeline/bench` runs the bench.
 */
import { DerivedStore } from "@tapeline/core/analysis"
import { CoinPrices, durationMs, hourMs, readValue, timeframes } from "@tapeline/core/market"
import { makeWorld, SimMarket } from "@tapeline/market-sim"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { median, runConditions, table, writeSection } from "./report.ts"

const BARS = 1_000
const ROUNDS = 15
const GOAL_CANDLES_MS = 20
/**
 * The maximum time in ms for reading 1,000 candles that are longer than an hour. The store computes the high and low of
 * longer candles from hourly data.
 */
const GOAL_LONG_CANDLES_MS = 100
const GOAL_COLD_MS = 300
const GOAL_WARM_MS = 30

const started = new Date()
const now = Date.parse("2026-11-20T10:03:22.517Z")
const coins = ["BTC", "ETH", "SOL", "DOGE", "PEPE"]

const measureMs = (run: () => unknown): number => {
  const startedAt = performance.now()
  run()
  return performance.now() - startedAt
}

const overview = Effect.gen(function*() {
  const market = yield* CoinPrices
  const derived = yield* DerivedStore
  yield* TestClock.setTime(now)
  const measureOnce = Effect.gen(function*() {
    const startedAt = performance.now()
    const tickers = yield* readValue(market.tickers)
    const scores = yield* readValue(derived.scores)
    return { ms: performance.now() - startedAt, coins: tickers.length, scores: scores.length }
  })
  const cold = yield* measureOnce
  const warmMs = yield* measureOnce
  return { cold, warmMs }
})

const engine = (seed: number) => Layer.provideMerge(DerivedStore.layer, SimMarket.layer({ seed }))
const measureOverview = (seed: number) =>
  Effect.runPromise(overview.pipe(Effect.provide(Layer.merge(engine(seed), TestClock.layer()))))

// The first measurement includes compilation, like the first call after a start.
const first = await measureOverview(100)
const overviews = [first]
for (let round = 1; round < ROUNDS; round++) overviews.push(await measureOverview(100 + round))

/** The times in ms that the simulated market takes for 1,000 uncached candles, by timeframe. */
const uncachedCandles = timeframes.map((timeframe) => ({
  timeframe,
  ms: Array.from({ length: ROUNDS }, (_, round) => {
    const market = makeWorld(round).coin(coins[round % coins.length]!)!
    return measureMs(() => market.lastCandles(timeframe, BARS, now))
  })
}))

const ratio = (ms: number, goal: number): string => (ms / goal).toFixed(2)
const makeRow = (name: string, sample: ReadonlyArray<number>, goal: number): ReadonlyArray<string> => {
  const medianMs = median(sample)
  return [name, medianMs.toFixed(1), Math.max(...sample).toFixed(1), String(goal), ratio(medianMs, goal)]
}

const rows = [
  ...uncachedCandles.map(({ timeframe, ms }) =>
    makeRow(
      `${BARS.toLocaleString("en")} candles of ${timeframe}`,
      ms,
      durationMs[timeframe] > hourMs ? GOAL_LONG_CANDLES_MS : GOAL_CANDLES_MS
    )
  ),
  makeRow("overview, the first of a process", [first.cold.ms], GOAL_COLD_MS),
  makeRow("overview, cold caches", overviews.map(({ cold }) => cold.ms), GOAL_COLD_MS),
  makeRow("overview, warm", overviews.map(({ warmMs }) => warmMs.ms), GOAL_WARM_MS)
]

const section = `## Simulated market

${
  runConditions(started)
}. Each round uses a market with another seed, so no cache helps, except in the row "warm", which repeats the
same request. An overview consists of ${first.cold.coins} tickers and ${first.cold.scores} scores. A ratio of at most 1
meets the goal.

${table(["what", "median ms", "worst ms", "goal ms", "ratio"], rows)}
`
console.log(section)
writeSection("market", section)
