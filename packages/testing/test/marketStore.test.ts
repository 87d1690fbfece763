import { assert, it } from "@effect/vitest"
import { MarketStore } from "@tapeline/core/market/store"
import { MemoryMarketStore } from "@tapeline/testing"
import { marketFailpointContract } from "@tapeline/testing/contracts/marketFailpoints"
import { marketStoreContract } from "@tapeline/testing/contracts/marketStore"
import { runMarketModel } from "@tapeline/testing/marketStore/modelRun"
import { marketMutants, mutantMarketStore } from "@tapeline/testing/marketStore/mutants"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

/** Each run has a lead of its own, and a store keeps no more than 1,000. */
const runs = process.env["TAPELINE_TEST_FULL"] === "1" ? 900 : 15

marketStoreContract("memory", MemoryMarketStore, (ms) => Effect.asVoid(TestClock.adjust(ms)))
marketFailpointContract("memory", (failpoints) => MemoryMarketStore.pipe(Layer.provide(failpoints)))

for (const mutant of marketMutants) {
  it.effect(`a market store that ${mutant} is found out`, () =>
    Effect.gen(function*() {
      const store = mutantMarketStore(yield* MarketStore, mutant)
      assert.isNotNull(yield* runMarketModel(store, TestClock.adjust, { runs: 3_000, shrinks: false }))
    }).pipe(Effect.provide(MemoryMarketStore)), 60_000)
}

it.effect("a market store that keeps its promises is not", () =>
  Effect.gen(function*() {
    assert.isNull(yield* runMarketModel(yield* MarketStore, TestClock.adjust, { runs }))
  }).pipe(Effect.provide(MemoryMarketStore)))
