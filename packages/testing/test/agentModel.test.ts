import { MemoryStores } from "@tapeline/testing"
import type { AgentStores } from "@tapeline/testing/agent/fixtures"
import { runAgentModel } from "@tapeline/testing/agent/modelRun"
import { agentMutants, mutantAgentStores } from "@tapeline/testing/agent/mutants"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"

const on = (stores: Layer.Layer<AgentStores>) => <A>(effect: Effect.Effect<A, unknown, AgentStores>) =>
  Effect.runPromise(Effect.provide(effect, Layer.fresh(stores)))

describe("the model test of the agent's stores", () => {
  it("passes for the memory stores", { timeout: 300_000 }, async () => {
    const { failure, seed } = await runAgentModel(on(MemoryStores), { runs: isFullRun ? 3_000 : 100 })
    console.log(`memory: seed ${seed}`)
    assert.isNull(failure)
  })

  for (const mutant of agentMutants) {
    it(`detects stores that ${mutant}`, { timeout: 300_000 }, async () => {
      const mutantStores = mutantAgentStores(mutant).pipe(Layer.provideMerge(MemoryStores))
      // `shrink` is false, so the search ends with the first run that detects the mutant.
      const { failure, seed } = await runAgentModel(on(mutantStores), { runs: 5_000, shrink: false })
      assert.isNotNull(failure, `not detected with seed ${seed}`)
    })
  }
})
