import { assert, it } from "@effect/vitest"
import { DerivedStore } from "@tapeline/core"
import { SimMarket } from "@tapeline/market-sim"
import { layerComputePool } from "@tapeline/server"
import { computeContract, computeJobs } from "@tapeline/testing/contracts/compute"
import { Effect, Layer } from "effect"

computeContract(
  "worker threads",
  (options) => layerComputePool({ ...options, heapMb: 64, modules: [computeJobs] }),
  { ownThreads: true }
)

it.live("hit rates are the same in threads of their own", () =>
  Effect.gen(function*() {
    const hitRates = Effect.flatMap(DerivedStore, (derived) => derived.hitRates({ coin: "BTC" }))
    const market = SimMarket.layer({ seed: 7 })
    const here = yield* Effect.provide(hitRates, Layer.provide(DerivedStore.layer, market))
    const there = yield* Effect.provide(
      hitRates,
      Layer.fresh(DerivedStore.layer).pipe(Layer.provide([market, layerComputePool({ workers: 1 })]))
    )
    assert.isAbove(here.signals, 0)
    // An hour may close between the two.
    if (here.until === there.until) assert.deepStrictEqual(there, here)
  }))
