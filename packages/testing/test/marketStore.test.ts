import { assert, it } from "@effect/vitest"
import { MarketStore } from "@tapeline/core/market/store"
import { MemoryMarketStore } from "@tapeline/testing"
import { marketFailpointContract } from "@tapeline/testing/contracts/marketFailpoints"
import { marketStoreContract } from "@tapeline/testing/contracts/marketStore"
import { isFullRun } from "@tapeline/testing/fullRun"
import { runMarketModel } from "@tapeline/testing/marketStore/modelRun"
import { marketMutants, mutantMarketStore } from "@tapeline/testing/marketStore/mutants"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

marketStoreContract("memory", MemoryMarketStore, (ms) => Effect.asVoid(TestClock.adjust(ms)))
marketFailpointContract("memory", (failpoints) => MemoryMarketStore.pipe(Layer.provide(failpoints)))

for (const mutant of marketMutants) {
  it.effect(`the model test detects a market store that ${mutant}`, () =>
    Effect.gen(function*() {
      const store = mutantMarketStore(yield* MarketStore, mutant)
      assert.isNotNull(yield* runMarketModel(store, TestClock.adjust, { runs: 3_000, shrink: false }))
    }).pipe(Effect.provide(MemoryMarketStore)), 60_000)
}

// The runs are divided among several stores, because each run needs its own source and a store has at most 1,000
// sources.
for (const store of isFullRun ? [1, 2, 3] : [1]) {
  it.effect(`the model test passes for the memory store (${store})`, () =>
    Effect.gen(function*() {
      assert.isNull(yield* runMarketModel(yield* MarketStore, TestClock.adjust, { runs: isFullRun ? 700 : 15 }))
    }).pipe(Effect.provide(Layer.fresh(MemoryMarketStore))))
}
