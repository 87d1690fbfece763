import type { ConversationStore } from "@tapeline/core/agent"
import { MemoryStores } from "@tapeline/testing"
import { runTaskModel } from "@tapeline/testing/tasks/modelRun"
import { mutantTaskStores, taskMutants } from "@tapeline/testing/tasks/mutants"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { assert, describe, it } from "vitest"

const full = process.env["TAPELINE_TEST_FULL"] === "1"

const on = (stores: Layer.Layer<ConversationStore>) => <A>(effect: Effect.Effect<A, unknown, ConversationStore>) =>
  Effect.runPromise(Effect.provide(Effect.provide(effect, Layer.fresh(stores)), TestClock.layer()))

const time = { moves: "clock", by: (ms: number) => TestClock.adjust(ms) } as const

describe("the model of tasks", () => {
  it("holds on memory", { timeout: 300_000 }, async () => {
    const { failure, seed } = await runTaskModel(on(MemoryStores), time, { runs: full ? 5_000 : 150 })
    console.log(`memory: seed ${seed}`)
    assert.isNull(failure)
  })

  for (const mutant of taskMutants) {
    it(`catches stores that do this: ${mutant}`, { timeout: 300_000 }, async () => {
      const broken = mutantTaskStores(mutant).pipe(Layer.provideMerge(MemoryStores))
      const { failure, seed } = await runTaskModel(on(broken), time, { runs: 1_000, shrink: false })
      assert.isNotNull(failure, `not caught with seed ${seed}`)
    })
  }
})
