/**
 * Measures how long harmful scripts block the serving thread when they run with `run_code` over HTTP, and how long
 * concurrent price requests take. The clients run in a separate thread. `npm run scripts -w @tapeline/bench` runs the
 * bench.
 */
import { NodeHttpServer } from "@effect/platform-node"
import { DerivedStore, layerEngine, Toolbox, tools } from "@tapeline/core"
import { AdminToken, Draining, layerRoutes, makeNodeServer, Readiness, serve } from "@tapeline/http"
import { layerSandbox } from "@tapeline/sandbox"
import { layerComputePool, layerSimulatedMarket, simulatedReadsModule } from "@tapeline/server"
import { createKeyedAccount, MemoryStores } from "@tapeline/testing"
import {
  builtinReplacement,
  endlessScripts,
  escapeAttempts,
  failingBuiltinReplacement,
  harmlessFaults,
  logFlooding,
  resourceExhaustion
} from "@tapeline/testing/contracts/hostileScripts"
import { Effect, Layer, Redacted } from "effect"
import { HttpServer } from "effect/http"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { Worker } from "node:worker_threads"
import { sampleThreadTime } from "./eventLoop/threadTime.ts"
import { plans } from "./load/settings.ts"
import { runConditions, table, writeSection } from "./report.ts"

const GOAL_MS = 50

const harmfulScripts = Object.entries({
  ...harmlessFaults,
  ...resourceExhaustion,
  ...logFlooding,
  ...failingBuiltinReplacement
})
const scripts: ReadonlyArray<readonly [what: string, code: string]> = [
  ...harmfulScripts.map(([description, { code }]) => [description, code] as const),
  ...Object.entries(endlessScripts).map(([location, code]) => [`spins ${location}`, code] as const),
  ...builtinReplacement.map(([code]) => ["forges what everything stands on", code] as const),
  ["looks for a way out", escapeAttempts]
]

const market = DerivedStore.layer.pipe(
  Layer.provideMerge(layerSimulatedMarket(1)),
  Layer.provideMerge(layerComputePool({ modules: [simulatedReadsModule] }))
)
const engine = layerEngine({ toolbox: Toolbox.layer(tools), plans }).pipe(
  Layer.provideMerge(Layer.mergeAll(MemoryStores, market, layerSandbox()))
)
const service = serve(layerRoutes({ corsOrigins: [] })).pipe(
  Layer.provideMerge(NodeHttpServer.layer(() => makeNodeServer(), { host: "127.0.0.1", port: 0 })),
  Layer.provide([
    Layer.succeed(AdminToken, Redacted.make("administration-token-of-this-bench")),
    Layer.succeed(Readiness, { check: Effect.void }),
    Draining.layer
  ]),
  Layer.provideMerge(engine)
)

/** The code of the clients' thread, which measures each script and requests prices continuously. */
const clientThreadSource = `
const { parentPort, workerData: { address, key } } = require("node:worker_threads")
const call = async (name, body) => {
  const from = performance.now()
  const response = await fetch(address + "/v1/tools/" + name, {
    method: "POST",
    headers: { authorization: "Bearer " + key, "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  await response.text()
  return { status: response.status, ms: performance.now() - from }
}
const prices = []
let open = true
const asking = (async () => {
  while (open) {
    const { status, ms } = await call("get_price", { coin: "BTC" })
    if (status !== 200) throw new Error("a price was refused: " + status)
    prices.push(ms)
    await new Promise((resolve) => setTimeout(resolve, 4))
  }
})()
parentPort.on("message", async (code) => {
  if (code !== null) return parentPort.postMessage(await call("run_code", { code }))
  open = false
  await asking
  prices.sort((a, b) => a - b)
  parentPort.postMessage({ count: prices.length, p99: prices[Math.floor(prices.length * 0.99)], worst: prices.at(-1) })
})`

interface PriceTimes {
  readonly count: number
  readonly p99: number
  readonly worst: number
}

const program = Effect.gen(function*() {
  const { address } = yield* HttpServer.HttpServer
  const { key } = yield* createKeyedAccount({ plan: "bench" })
  const worker = new Worker(clientThreadSource, {
    eval: true,
    workerData: { address: HttpServer.formatAddress(address), key }
  })
  const ask = <A>(message: string | null): Effect.Effect<A> =>
    Effect.callback<A>((resume) => {
      // The cast is safe, because the thread of the clients replies to each message with the requested result.
      worker.once("message", (answer: A) => resume(Effect.succeed(answer)))
      worker.postMessage(message, [])
    })
  yield* ask("quant.sma([1, 2], 2)")
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const blockTimes: Array<{ readonly description: string; readonly ms: number }> = []
  for (const [description, code] of scripts) {
    const stopSampling = sampleThreadTime()
    const { status } = yield* ask<{ readonly status: number }>(code)
    yield* Effect.sleep(5)
    blockTimes.push({ description, ms: stopSampling() })
    if (status !== 200) {
      return yield* Effect.die(new Error(`a script that ${description} returned the status ${status}`))
    }
  }
  delay.disable()
  const prices = yield* ask<PriceTimes>(null)
  yield* Effect.promise(() => worker.terminate())
  return { longestBlocks: blockTimes.toSorted((a, b) => b.ms - a.ms), delayMaxMs: delay.max / 1e6, prices }
})

const started = new Date()
const { delayMaxMs, longestBlocks, prices } = await Effect.runPromise(Effect.provide(program, service))
const { ms, description } = longestBlocks[0]!
const columnNames = [
  "longest block, ms",
  "ratio",
  "by a script that",
  "longest delay, ms",
  "prices",
  "p99 of a price, ms",
  "worst price, ms"
]
const cells = [
  ms.toFixed(1),
  (ms / GOAL_MS).toFixed(2),
  description,
  delayMaxMs.toFixed(1),
  String(prices.count),
  prices.p99.toFixed(1),
  prices.worst.toFixed(1)
]
const section = `## The event loop under hostile scripts

${
  runConditions(started)
}. ${scripts.length} hostile scripts (\`hostileScripts\` of \`@tapeline/testing\`: endless loops, memory
exhaustion, recursion, changed prototypes, flooded logs, attempts to escape) run one after another with \`run_code\`
over HTTP, while another client requests a price every few milliseconds. A block is an uninterrupted computation of the
serving thread, measured in CPU time of the thread. The delay is the delay of its event loop
(\`monitorEventLoopDelay\`), which other programs on the machine also affect. A ratio of at most 1 meets the goal of
${GOAL_MS} ms.

${table(columnNames, [cells])}
`
console.log(section)
writeSection("scripts", section)
