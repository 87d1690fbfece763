/**
 * Measures how long hit-rate requests block the event loop while other callers request prices.
 * `node measure.ts here|pool` prints the result as JSON.
 */
import { DerivedStore, getHitRate, getPrice, layerEngine, Toolbox, ToolCaller, tools } from "@tapeline/core"
import { SimMarket } from "@tapeline/market-sim"
import { layerComputePool, layerSimulatedMarket, simulatedReadsModule } from "@tapeline/server"
import { createKeyedAccount, MemoryStores } from "@tapeline/testing"
import { Effect, Fiber, Layer } from "effect"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { sampleThreadTime } from "./threadTime.ts"

const callers = 16
const concurrentRequests = 4
const usesPool = process.argv[2] === "pool"
const compute = usesPool ? layerComputePool({ modules: [simulatedReadsModule] }) : Layer.empty
const simulatedMarket = usesPool ? layerSimulatedMarket(1) : SimMarket.layer({ seed: 1 })
const engine = () =>
  Layer.fresh(layerEngine({ toolbox: Toolbox.layer(tools) })).pipe(
    Layer.provide(Layer.fresh(DerivedStore.layer))
  )

const percentile = (sample: ReadonlyArray<number>, share: number): number =>
  sample.toSorted((a, b) => a - b)[Math.min(sample.length - 1, Math.floor(sample.length * share))] ?? NaN

/** Requests hit rates `concurrentRequests` times at once, while `callers` callers request prices repeatedly. */
const runRound = Effect.gen(function*() {
  const caller = yield* ToolCaller
  const { principal } = yield* createKeyedAccount({ plan: "premium" })
  const prices: Array<number> = []
  const requestPrice = Effect.gen(function*() {
    const startedAt = performance.now()
    yield* caller.call(getPrice, { principal, arguments: { coin: "BTC" } })
    prices.push(performance.now() - startedAt)
    yield* Effect.sleep(4)
  })
  yield* requestPrice
  const load = yield* Effect.forkChild(
    Effect.all(Array.from({ length: callers }, () => Effect.forever(requestPrice)), { concurrency: "unbounded" })
  )
  const delay = monitorEventLoopDelay({ resolution: 1 })
  yield* Effect.sleep(100)
  prices.length = 0
  delay.enable()
  yield* Effect.sleep(20)
  delay.reset()
  const stopSampling = sampleThreadTime()
  const startedAt = performance.now()
  yield* Effect.all(
    Array.from({ length: concurrentRequests }, () => caller.call(getHitRate, { principal, arguments: {} })),
    { concurrency: "unbounded" }
  )
  const tookMs = performance.now() - startedAt
  yield* Effect.sleep(5)
  delay.disable()
  const computedMaxMs = stopSampling()
  yield* Fiber.interrupt(load)
  return {
    tookMs,
    computedMaxMs,
    delayMaxMs: delay.max / 1e6,
    delayP99Ms: delay.percentile(99) / 1e6,
    priceP99Ms: percentile(prices, 0.99)
  }
})

const program = Effect.gen(function*() {
  const cold = yield* Effect.provide(runRound, engine())
  // The second engine uses the same market, whose series are now cached, so the second round measures only the engine's
  // computation.
  const warmRun = yield* Effect.provide(runRound, engine())
  return { cold, warm: warmRun }
})

console.log(
  JSON.stringify(
    await Effect.runPromise(
      program.pipe(Effect.provide(Layer.merge(MemoryStores, simulatedMarket).pipe(Layer.provideMerge(compute))))
    )
  )
)
