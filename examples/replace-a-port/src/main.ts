// Runs the engine with a custom adapter for one port, and with the usual adapters for the other ports.
import { DerivedStore, layerEngine, RequestRateLimiter, Toolbox, tools } from "@tapeline/core"
import { SimMarket } from "@tapeline/market-sim"
import { createKeyedAccount, MemoryAdminStore, MemoryKeyStore, MemoryLedgerStore, MemoryState } from "@tapeline/testing"
import { Effect, Layer } from "effect"
import { ForgettingWindowStore } from "./ForgettingWindowStore.ts"

const stores = Layer.mergeAll(MemoryAdminStore, MemoryKeyStore, MemoryLedgerStore).pipe(
  Layer.provideMerge(MemoryState.layer)
)
const market = DerivedStore.layer.pipe(Layer.provideMerge(SimMarket.layer({ seed: 1 })))
const engine = layerEngine({ toolbox: Toolbox.layer(tools) }).pipe(
  Layer.provideMerge(Layer.mergeAll(stores, market, ForgettingWindowStore))
)

const program = Effect.gen(function*() {
  const limiter = yield* RequestRateLimiter
  const { principal } = yield* createKeyedAccount({ plan: "free" })
  let admitted = 0
  for (let i = 0; i < 15; i++) {
    const outcome = yield* Effect.result(limiter.admit(principal))
    if (outcome._tag === "Success") admitted++
  }
  console.log(`${admitted} of 15 requests admitted in one minute`)
})

await Effect.runPromise(program.pipe(Effect.provide(engine), Effect.scoped))
