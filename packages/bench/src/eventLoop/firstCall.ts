/**
 * Measures the first call of a tool in a new process. The result is the longest time that the call blocks the main
 * thread, in ms. An example command is `node firstCall.ts get_regime`.
 */
import { DerivedStore, layerEngine, specifications, Toolbox, ToolCaller, tools } from "@tapeline/core"
import { layerSandbox } from "@tapeline/sandbox"
import { layerComputePool, layerSimulatedMarket, simulatedReadsModule } from "@tapeline/server"
import { createKeyedAccount, MemoryStores } from "@tapeline/testing"
import { Effect, Layer } from "effect"
import { sampleThreadTime } from "./threadTime.ts"

const market = DerivedStore.layer.pipe(
  Layer.provideMerge(layerSimulatedMarket(1)),
  Layer.provideMerge(layerComputePool({ modules: [simulatedReadsModule] }))
)
const engine = layerEngine({ toolbox: Toolbox.layer(tools) }).pipe(
  Layer.provideMerge(Layer.mergeAll(MemoryStores, market, layerSandbox()))
)

const program = Effect.gen(function*() {
  const { example, name } = specifications.find((one) => one.name === process.argv[2])!
  const caller = yield* ToolCaller
  const { principal } = yield* createKeyedAccount({ plan: "premium" })
  yield* Effect.sleep(50)
  const stopSampling = sampleThreadTime()
  yield* Effect.sleep(5)
  yield* caller.call({ principal, name, arguments: example })
  yield* Effect.sleep(5)
  return stopSampling()
})

console.log(String(await Effect.runPromise(Effect.provide(program, engine))))
