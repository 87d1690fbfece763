/**
 * Measures the duration of every tool. Each call must take less than 1 s, and the median of a one-credit tool must be
 * below 100 ms. `npm run tools -w @tapeline/bench` runs the bench.
 */
import { chartJobs, layerCharts } from "@tapeline/charts"
import { DerivedStore, layerEngine, specifications, Toolbox, ToolCaller, tools } from "@tapeline/core"
import { layerNewsSearch } from "@tapeline/core/analysis"
import { LocalEmbeddings } from "@tapeline/offline-analyst"
import { layerSandbox } from "@tapeline/sandbox"
import { layerComputePool, layerSimulatedMarket, simulatedReadsModule } from "@tapeline/server"
import { createKeyedAccount, MemoryStores } from "@tapeline/testing"
import { Effect, Layer } from "effect"
import { loadavg } from "node:os"
import { plans } from "./load/settings.ts"
import { median, runConditions, table, writeSection } from "./report.ts"

const ROUNDS = 15
const GOAL_MS = 1000
const GOAL_OF_ONE_CREDIT_MS = 100

/** The calls alternate between two coins, so that consecutive calls cannot share cached data. */
const coins = ["BTC", "ETH"]

const market = DerivedStore.layer.pipe(
  Layer.provideMerge(layerSimulatedMarket(1)),
  Layer.provideMerge(layerComputePool({ modules: [simulatedReadsModule, chartJobs] }))
)
const engine = layerEngine({ toolbox: Toolbox.layer(tools), plans }).pipe(
  Layer.provideMerge(Layer.provide(layerNewsSearch, LocalEmbeddings)),
  Layer.provideMerge(layerCharts),
  Layer.provideMerge(Layer.mergeAll(MemoryStores, market, layerSandbox()))
)

type Specification = (typeof specifications)[number]

const exampleArguments = ({ example }: Specification, round: number): object =>
  "coin" in example ? { ...example, coin: coins[round % coins.length] } : example

const measure = Effect.fnUntraced(function*(specification: Specification) {
  const caller = yield* ToolCaller
  const { principal } = yield* createKeyedAccount({ plan: "bench" })
  const tookMs: Array<number> = []
  const computedMs: Array<number> = []
  for (let round = 0; round <= ROUNDS; round++) {
    const before = process.cpuUsage()
    const startedAt = performance.now()
    const { name } = specification
    const { failure } = yield* caller.call({ principal, name, arguments: exampleArguments(specification, round) })
    if (failure !== null) return yield* Effect.die(new Error(`${name}: ${failure.message}`))
    tookMs.push(performance.now() - startedAt)
    const { system, user } = process.cpuUsage(before)
    computedMs.push((system + user) / 1_000)
  }
  const [first, ...laterCalls] = tookMs
  return {
    specification,
    first: first!,
    computed: computedMs[0]!,
    median: median(laterCalls),
    worst: Math.max(...laterCalls)
  }
})

const started = new Date()
const load = loadavg()[0]!.toFixed(1)
// The measured tools. Journal tools are omitted, because they need records of the account. In addition, most journal
// tools cannot be repeated with the same result.
const measuredTools = specifications.filter(({ scope }) => scope === "read:market")
const measured = await Effect.runPromise(Effect.provide(Effect.forEach(measuredTools, measure), engine))

const rows = measured.toSorted((a, b) => b.median - a.median).map(
  ({ computed: computedMs, first, median, specification, worst }) => {
    const { credits, name } = specification
    const slowest = Math.max(first, worst)
    const isMet = slowest < GOAL_MS && (credits > 1 || median < GOAL_OF_ONE_CREDIT_MS)
    return {
      isMet,
      cells: [
        `\`${name}\``,
        String(credits),
        median.toFixed(1),
        credits === 1 ? (median / GOAL_OF_ONE_CREDIT_MS).toFixed(2) : "",
        first.toFixed(0),
        computedMs.toFixed(0),
        worst.toFixed(0),
        (slowest / GOAL_MS).toFixed(2),
        isMet ? "yes" : "no"
      ]
    }
  }
)

const columnNames = [
  "tool",
  "credits",
  "median ms",
  "of 100 ms",
  "first ms",
  "CPU of first ms",
  "worst later ms",
  "slowest, of 1 s",
  "met"
]
const metCount = rows.filter(({ isMet }) => isMet).length
const report = `## Tools

${runConditions(started)}. One call at a time in one process, with the simulated market and the threads of the
server; load average before the run ${load}. The first call of a process is measured together with the CPU time of all
its threads. Then ${ROUNDS} calls for BTC and ETH in turn are measured. Goals: each call in under ${GOAL_MS} ms, and a
median under ${GOAL_OF_ONE_CREDIT_MS} ms for tools that cost one credit. A ratio of at most 1 meets a
goal. ${metCount} of ${rows.length} tools meet their goals.

${table(columnNames, rows.map(({ cells }) => cells))}
`
console.log(report)
writeSection("tools", report)
