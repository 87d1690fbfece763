import { assert, it } from "@effect/vitest"
import { Compute, DerivedStore } from "@tapeline/core"
import { SimMarket } from "@tapeline/market-sim"
import { layerComputePool } from "@tapeline/server"
import { computeContract, computeJobs } from "@tapeline/testing/contracts/compute"
import { begun, spin } from "@tapeline/testing/contracts/computeJobs"
import { Effect, Exit, Fiber, Layer, Scope } from "effect"

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
    assert.isAbove(here.value.signals, 0)
    // An hour may close between the two.
    if (here.value.until === there.value.until) assert.deepStrictEqual(there, here)
  }))

it.live("threads end with their layer, whatever they do", () =>
  Effect.gen(function*() {
    const meeting = new Int32Array(new SharedArrayBuffer(8))
    const scope = yield* Scope.make()
    const pool = yield* Layer.buildWithScope(layerComputePool({ workers: 1, modules: [computeJobs] }), scope)
    const running = yield* Effect.forkChild(
      Effect.flip(Effect.flatMap(Compute, (compute) => compute.run(spin, meeting)).pipe(Effect.provideContext(pool))),
      { startImmediately: true }
    )
    yield* Effect.promise(async () => {
      await Atomics.waitAsync(meeting, begun, 0).value
    })
    yield* Scope.close(scope, Exit.void)
    assert.strictEqual((yield* Fiber.join(running))._tag, "ComputeCrashed")
  }))
