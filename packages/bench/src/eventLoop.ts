/**
 * Measures how long computing hit rates blocks the server's main thread. The bench compares computation in the main
 * thread with computation in worker threads. `npm run event-loop -w @tapeline/bench` runs the bench.
 */
import { specifications } from "@tapeline/core/specifications"
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { median, runConditions, table, writeSection } from "./report.ts"

const ROUNDS = 5
const GOAL_MS = 50

interface Round {
  readonly tookMs: number
  readonly computedMaxMs: number
  readonly delayMaxMs: number
  readonly delayP99Ms: number
  readonly priceP99Ms: number
}

const started = new Date()

/** Runs a measurement in a separate process. In a new process, the round `cold` includes startup costs. */
const measure = (location: "here" | "pool"): { readonly cold: Round; readonly warm: Round } =>
  // The cast is safe, because `measure.ts` prints an object with the rounds `cold` and `warm`.
  JSON.parse(
    execFileSync(process.execPath, [join(import.meta.dirname, "eventLoop", "measure.ts"), location], {
      encoding: "utf8"
    })
  ) as { readonly cold: Round; readonly warm: Round }

const runs = Array.from({ length: ROUNDS }, () => ({ here: measure("here"), pool: measure("pool") }))

const firstCalls = specifications.map(({ name }) => ({
  name,
  ms: Number(
    execFileSync(process.execPath, [join(import.meta.dirname, "eventLoop", "firstCall.ts"), name], { encoding: "utf8" })
  )
})).toSorted((a, b) => b.ms - a.ms)
const longestBlocks = firstCalls.slice(0, 5).map(({ ms, name }) => `\`${name}\` ${ms.toFixed(0)} ms`).join(", ")

const makeRow = (location: "here" | "pool", phase: "cold" | "warm"): ReadonlyArray<string> => {
  const rounds = runs.map((run) => run[location][phase])
  const computedMs = rounds.map(({ computedMaxMs }) => computedMaxMs)
  return [
    `${location === "here" ? "in the serving thread" : "in worker threads"}, ${phase}`,
    median(computedMs).toFixed(0),
    Math.max(...computedMs).toFixed(0),
    (median(computedMs) / GOAL_MS).toFixed(2),
    median(rounds.map(({ delayMaxMs }) => delayMaxMs)).toFixed(0),
    median(rounds.map(({ delayP99Ms }) => delayP99Ms)).toFixed(1),
    median(rounds.map(({ priceP99Ms }) => priceP99Ms)).toFixed(1),
    median(rounds.map(({ tookMs }) => tookMs)).toFixed(0)
  ]
}

const columnNames = [
  "hit rates are computed",
  "longest block, median ms",
  "worst ms",
  "ratio",
  "longest delay ms",
  "p99 of delays ms",
  "p99 of a price ms",
  "hit rates took ms"
]
const rows = [makeRow("here", "cold"), makeRow("pool", "cold"), makeRow("here", "warm"), makeRow("pool", "warm")]
const section = `## The event loop under hit rates

${runConditions(started)}. Hit rates of all coins over 90 days, requested four times at once, while 16 callers request
a price every few milliseconds; ${ROUNDS} processes for each row. A block is an uninterrupted computation of the
serving thread, measured in CPU time of the thread. A delay is the delay of the event loop
(\`monitorEventLoopDelay\`), which other programs on the machine also affect. "Cold" is the first request of a process.
"Warm" is a second engine in the same process, which has computed nothing yet but runs compiled code. A ratio of at
most 1 meets the goal of ${GOAL_MS} ms.

${table(columnNames, rows)}

In the first calls of ${firstCalls.length} tools in a process, with the server's market and threads, the longest
blocks are ${longestBlocks}.
`
console.log(section)
writeSection("event-loop", section)
