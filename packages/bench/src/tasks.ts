/**
 * Measures how long a sweep over 10,000 watches takes on PostgreSQL. For comparison, 10,000 trivial queries show the
 * minimum cost of one query per watch. `node src/tasks.ts` runs the bench.
 */
import { DerivedStore, mapClock } from "@tapeline/core"
import { KeyStore, LedgerStore } from "@tapeline/core/engine"
import { CoinPrices, minuteMs, StoredEquities } from "@tapeline/core/market"
import {
  makeSeriesReader,
  sweepWatches,
  TaskStore,
  TaskTiming,
  type TaskTrigger,
  type WatchSpec
} from "@tapeline/core/personal"
import { SimMarket } from "@tapeline/market-sim"
import { layerMigrations, layerPostgres, PgStores } from "@tapeline/postgres"
import { startPostgres } from "@tapeline/testing/postgresServer"
import { Clock, Effect, Layer } from "effect"
import { cpus, loadavg } from "node:os"
import { median, runConditions, table, writeSection } from "./report.ts"

const accounts = 100
const tasksPerAccount = 100
const sweepCount = 7

/** Returns the specification of watch number `i`. Most watches are price watches, each with a different price level. */
const makeWatchSpec = (i: number, coins: ReadonlyArray<string>, shares: ReadonlyArray<string>): WatchSpec => {
  const symbol = coins[i % coins.length]!
  const op = i % 2 === 0 ? "gt" : "lt"
  const value = i % 2 === 0 ? 1e9 + i : 1e-9 / (i + 1)
  switch (i % 10) {
    case 0:
      return { metric: "vwap_cross", market: "coin", symbol, dir: "above" }
    case 1:
      return { metric: "gap", market: "coin", symbol: i % 20 === 1 ? "*" : symbol, value: 500 }
    case 2:
      return { metric: "score", market: "coin", symbol: "BTC", op: "gt", value: 100 }
    case 3:
      return { metric: "price", market: "us", symbol: shares[i % shares.length]!, op, value }
    default:
      return { metric: "price", market: "coin", symbol, op, value }
  }
}

const createTasks = Effect.gen(function*() {
  const keys = yield* KeyStore
  const tasks = yield* TaskStore
  yield* (yield* LedgerStore).definePlans({ bench: 1_000 })
  const { value: coins } = yield* (yield* CoinPrices).coins
  const { value: shares } = yield* (yield* StoredEquities).quotes("US")
  const names = coins.flatMap(({ coin, isStablecoin }) => isStablecoin ? [] : [coin])
  for (let n = 0; n < accounts; n++) {
    const { id } = yield* keys.createAccount({ name: "bench", plan: "bench", now: null })
    yield* Effect.forEach(Array.from({ length: tasksPerAccount }, (_, i) => n * tasksPerAccount + i), (i) => {
      const trigger: TaskTrigger = { kind: "watch", spec: makeWatchSpec(i, names, shares.map(({ symbol }) => symbol)) }
      const conversation = null
      const task = {
        title: `${i}`,
        trigger: trigger,
        prompt: null,
        maxRuns: null,
        lang: "en",
        key: 1,
        conversation
      } as const
      return tasks.write(id, `make ${i}`, { _tag: "Create", ...task })
    }, { concurrency: 16 })
  }
})

/** Counts the calls of each method and the reads of each property of a service. */
const countCalls = <S extends object>(service: S, callCounts: Map<string, number>): S =>
  new Proxy(service, {
    get: (target, name, receiver) => {
      const member: unknown = Reflect.get(target, name, receiver)
      if (typeof member !== "function") {
        callCounts.set(String(name), (callCounts.get(String(name)) ?? 0) + 1)
        return member
      }
      return (...query: ReadonlyArray<unknown>): unknown => {
        callCounts.set(String(name), (callCounts.get(String(name)) ?? 0) + 1)
        return Reflect.apply(member, target, query)
      }
    }
  })

const measureMs = <E, R>(work: Effect.Effect<unknown, E, R>) =>
  Effect.gen(function*() {
    const startedAt = performance.now()
    yield* work
    return performance.now() - startedAt
  })

const runBench = Effect.gen(function*() {
  yield* createTasks
  const callCounts = new Map<string, number>()
  const tasks = yield* TaskStore
  const timing = yield* TaskTiming
  const read = makeSeriesReader({
    prices: countCalls(yield* CoinPrices, callCounts),
    equities: countCalls(yield* StoredEquities, callCounts),
    derived: countCalls(yield* DerivedStore, callCounts)
  })
  const sweepDependencies = { tasks, timing, readSeries: read, run: () => Effect.void }
  const first = Math.ceil((yield* tasks.currentTime) / minuteMs) * minuteMs
  const times: Array<number> = []
  let reads = ""
  for (let n = 1; n <= sweepCount + 2; n++) {
    callCounts.clear()
    const until = first + n * minuteMs
    const offsetMs = until + timing.priceDelayMs - Date.now()
    const tookMs = yield* measureMs(
      Effect.updateService(
        sweepWatches(sweepDependencies, until),
        Clock.Clock,
        (clock) => mapClock(clock, (now) => now + offsetMs)
      )
    )
    if (n > 2) times.push(tookMs)
    reads = [...callCounts].map(([name, times]) => `${name} ${times}`).sort().join(", ")
  }
  const rows = yield* tasks.listActiveWatches(0, 1)
  if (rows[0]?.watch.checkedTo !== first + (sweepCount + 2) * minuteMs) {
    throw new Error("a sweep has not evaluated all watches")
  }
  const queries = Effect.forEach(Array.from({ length: accounts * tasksPerAccount }), () => tasks.currentTime, {
    concurrency: 64,
    discard: true
  })
  yield* queries
  const queryTimes: Array<number> = []
  for (let n = 0; n < 5; n++) queryTimes.push(yield* measureMs(queries))
  return { sweep: times, queryTimes, reads }
})

const server = await startPostgres()
try {
  const database = layerMigrations.pipe(Layer.provideMerge(layerPostgres({ url: server.url })))
  const market = DerivedStore.layer.pipe(Layer.provideMerge(SimMarket.layer({ seed: 1 })))
  const layers = PgStores.pipe(Layer.provideMerge(database), Layer.merge(market))
  const { queryTimes, reads, sweep } = await Effect.runPromise(Effect.provide(runBench, layers))
  const [sweepMs, queriesMs] = [median(sweep), median(queryTimes)]
  const makeRow = (label: string, sample: ReadonlyArray<number>) => [
    label,
    `${median(sample).toFixed(0)} ms`,
    `${Math.min(...sample).toFixed(0)} to ${Math.max(...sample).toFixed(0)} ms`
  ]
  writeSection(
    "tasks",
    `## A sweep over ${(accounts * tasksPerAccount).toLocaleString("en")} watches

${runConditions(new Date())}, load ${loadavg()[0]!.toFixed(1)} of ${cpus().length}.
Watches of ${accounts} accounts on PostgreSQL: prices, VWAPs, gaps and scores of coins and prices of US shares, on the
simulated market. Each sweep checks the next minute of every watch. For comparison, the same run makes one query
for the time for each watch on the same pool, 64 at a time, which is less work than one query of data for each watch.

${
      table(["", "median", "range"], [
        makeRow("one sweep: reading watches and values, checking, storing", sweep),
        makeRow("one query for each watch", queryTimes)
      ])
    }

A sweep takes ${(sweepMs / queriesMs).toFixed(2)} times as long as these queries, and ${
      sweepMs < 1_000 ? "meets" : "misses"
    } its goal of one second. Its
reads of the market: ${reads}.
`
  )
  console.log({ sweepMs, queriesMs, reads, sweep, queryTimes })
} finally {
  await server.stop()
}
