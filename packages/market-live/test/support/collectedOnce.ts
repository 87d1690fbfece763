import { runAsOf } from "@tapeline/core"
import type { MarketPorts } from "@tapeline/core/market"
import { MarketStore } from "@tapeline/core/market/store"
import { MemoryMarketStore } from "@tapeline/testing"
import { Context, Effect, Layer, type Scope } from "effect"
import { setImmediate } from "node:timers/promises"
import { type Collector, layerCollectors, MarketHealth, SourceHealth } from "../../src/index.ts"
import { writeListed } from "./listing.ts"

export const waitUntil = Effect.fnUntraced(function*<E>(description: string, condition: Effect.Effect<boolean, E>) {
  for (let turn = 0; turn < 50_000; turn++) {
    if (yield* condition) return
    yield* Effect.promise(() => setImmediate())
  }
  return yield* Effect.die(new Error(`${description}: the condition never became true`))
})

/** The collectors to run against a test's servers, and the condition that ends the collection. */
export interface CollectOnceOptions {
  readonly now: number
  readonly market: Layer.Layer<MarketPorts>
  readonly collectors: Effect.Effect<ReadonlyArray<Collector>, never, SourceHealth | MarketPorts | Scope.Scope>
  readonly isDone: (store: MarketStore["Service"], health: MarketHealth["Service"]) => Effect.Effect<boolean, unknown>
}

/** A store into which collectors wrote at a fixed time. All layers that are built from the result share the store. */
export const layerCollectedOnce = (
  { collectors, isDone, market, now }: CollectOnceOptions
): Layer.Layer<MarketStore> => {
  const collected = Effect.gen(function*() {
    const store = Context.get(yield* Effect.scoped(Layer.build(MemoryMarketStore)), MarketStore)
    yield* writeListed(store, now)
    yield* Effect.scoped(Effect.gen(function*() {
      const context = yield* Layer.build(
        Layer.unwrap(Effect.map(collectors, (all) => layerCollectors(all))).pipe(
          Layer.provideMerge(MarketHealth.layer),
          Layer.provideMerge(SourceHealth.layer),
          Layer.provide(Layer.succeed(MarketStore, store))
        )
      )
      yield* waitUntil("everything is collected", isDone(store, Context.get(context, MarketHealth)))
    }))
    return store
  })
  return Layer.effect(
    MarketStore,
    Effect.runSync(Effect.cached(runAsOf(Effect.orDie(Effect.provide(collected, market)), now)))
  )
}
