/**
 * Measures a sweep over 10,000 watches on PostgreSQL: reading rows and values, checking and storing. The same run makes
 * as many queries for the time on the same connections, which is the minimum cost of one query per watch. Run with
 * `node src/tasks.ts`.
 */
import { DerivedStore } from "@tapeline/core"
import { KeyStore, LedgerStore } from "@tapeline/core/engine"
import { CoinPrices, minuteMs, StoredEquities } from "@tapeline/core/market"
import {
  type Awaited,
  makeReadSeries,
  sweepWatches,
  TaskStore,
  TaskTiming,
  type WatchSpec
} from "@tapeline/core/personal"
import { SimMarket } from "@tapeline/market-sim"
import { layerMigrations, layerPostgres, PgStores } from "@tapeline/postgres"
import { startPostgres } from "@tapeline/testing/postgresServer"
import { Clock, Effect, Layer } from "effect"
import { cpus, loadavg } from "node:os"
import { median, runConditions, table, writeSection } from "./report.ts"

const accounts = 100
const each = 100
const sweeps = 7

/** The specifications of the watches: mostly prices, each with its own level. */
const specOf = (i: number, coins: ReadonlyArray<string>, shares: ReadonlyArray<string>): WatchSpec => {
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

const makeTasks = Effect.gen(function*() {
  const keys = yield* KeyStore
  const tasks = yield* TaskStore
  yield* (yield* LedgerStore).definePlans({ bench: 1_000 })
  const { value: coins } = yield* (yield* CoinPrices).coins
  const { value: shares } = yield* (yield* StoredEquities).quotes("US")
  const names = coins.flatMap(({ coin, isStablecoin }) => isStablecoin ? [] : [coin])
  for (let n = 0; n < accounts; n++) {
    const { id } = yield* keys.createAccount({ name: "bench", plan: "bench", now: null })
    yield* Effect.forEach(Array.from({ length: each }, (_, i) => n * each + i), (i) => {
      const awaited: Awaited = { kind: "watch", spec: specOf(i, names, shares.map(({ symbol }) => symbol)) }
      const conversation = null
      const task = { title: `${i}`, awaited, prompt: null, maxRuns: null, lang: "en", key: 1, conversation } as const
      return tasks.write(id, `make ${i}`, { _tag: "Create", ...task })
    }, { concurrency: 16 })
  }
})

/** This machine's clock plus an offset. */
const later = (ms: number) => (clock: Clock.Clock): Clock.Clock => ({
  currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + ms,
  currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + ms),
  currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
  currentTimeNanos: clock.currentTimeNanos,
  monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: clock.monotonicTimeNanos,
  sleep: (duration) => clock.sleep(duration)
})

/** Counts the calls of each method. */
const counting = <S extends object>(service: S, asked: Map<string, number>): S =>
  new Proxy(service, {
    get: (target, name, receiver) => {
      const member: unknown = Reflect.get(target, name, receiver)
      if (typeof member !== "function") {
        asked.set(String(name), (asked.get(String(name)) ?? 0) + 1)
        return member
      }
      return (...query: ReadonlyArray<unknown>): unknown => {
        asked.set(String(name), (asked.get(String(name)) ?? 0) + 1)
        return Reflect.apply(member, target, query)
      }
    }
  })

const timed = <E, R>(work: Effect.Effect<unknown, E, R>) =>
  Effect.gen(function*() {
    const begun = performance.now()
    yield* work
    return performance.now() - begun
  })

const bench = Effect.gen(function*() {
  yield* makeTasks
  const asked = new Map<string, number>()
  const tasks = yield* TaskStore
  const timing = yield* TaskTiming
  const read = makeReadSeries({
    prices: counting(yield* CoinPrices, asked),
    equities: counting(yield* StoredEquities, asked),
    derived: counting(yield* DerivedStore, asked)
  })
  const desk = { tasks, timing, read, run: () => Effect.void }
  const first = Math.ceil((yield* tasks.time) / minuteMs) * minuteMs
  const times: Array<number> = []
  let reads = ""
  for (let n = 1; n <= sweeps + 2; n++) {
    asked.clear()
    const until = first + n * minuteMs
    const shifted = later(until + timing.settleMs - Date.now())
    const took = yield* timed(Effect.updateService(sweepWatches(desk, until), Clock.Clock, shifted))
    if (n > 2) times.push(took)
    reads = [...asked].map(([name, times]) => `${name} ${times}`).sort().join(", ")
  }
  const rows = yield* tasks.watches(0, 1)
  if (rows[0]?.watch.checkedTo !== first + (sweeps + 2) * minuteMs) throw new Error("a sweep has left watches behind")
  const queries = Effect.forEach(Array.from({ length: accounts * each }), () => tasks.time, {
    concurrency: 64,
    discard: true
  })
  yield* queries
  const alone: Array<number> = []
  for (let n = 0; n < 5; n++) alone.push(yield* timed(queries))
  return { sweep: times, alone, reads }
})

const server = await startPostgres()
try {
  const database = layerMigrations.pipe(Layer.provideMerge(layerPostgres({ url: server.url })))
  const market = DerivedStore.layer.pipe(Layer.provideMerge(SimMarket.layer({ seed: 1 })))
  const layers = PgStores.pipe(Layer.provideMerge(database), Layer.merge(market))
  const { alone, reads, sweep } = await Effect.runPromise(Effect.provide(bench, layers))
  const [ours, theirs] = [median(sweep), median(alone)]
  const row = (what: string, sample: ReadonlyArray<number>) => [
    what,
    `${median(sample).toFixed(0)} ms`,
    `${Math.min(...sample).toFixed(0)} to ${Math.max(...sample).toFixed(0)} ms`
  ]
  writeSection(
    "tasks",
    `## A sweep over ${(accounts * each).toLocaleString("en")} watches

${runConditions(new Date())}, load ${loadavg()[0]!.toFixed(1)} of ${cpus().length}.
Watches of ${accounts} accounts on PostgreSQL: prices, VWAPs, gaps and scores of coins and prices of US shares, on the
simulated market. Each sweep judges one more minute of each. Beside it, in the same run, as many queries for the time on
the same pool, 64 at a time: less than asking once for each watch takes.

${
      table(["", "median", "range"], [
        row("one sweep: rows, values, judging, what is kept", sweep),
        row("one query for each", alone)
      ])
    }

A sweep takes ${(ours / theirs).toFixed(2)} of it, and ${
      ours < 1_000 ? "is" : "is not"
    } within its second. What it asked the
market: ${reads}.
`
  )
  console.log({ ours, theirs, reads, sweep, alone })
} finally {
  await server.stop()
}
