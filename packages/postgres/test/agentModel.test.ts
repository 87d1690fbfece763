import { runAgentModel } from "@tapeline/testing/agent/modelRun"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Effect, type Layer, ManagedRuntime } from "effect"
import { assert, describe, it } from "vitest"
import { type Client, makeFreshPglite, makeFreshPostgres, type Stores, withStores } from "./support/databases.ts"

const model = (name: string, stores: Layer.Layer<Stores | Client>, runs: number) =>
  it(`holds on ${name}`, { timeout: 600_000 }, async () => {
    const runtime = ManagedRuntime.make(stores)
    const { failure, seed } = await runAgentModel((effect) => runtime.runPromise(effect), { runs })
    await Effect.runPromise(runtime.disposeEffect)
    console.log(`${name}: seed ${seed}, ${runs} runs`)
    assert.isNull(failure)
  })

describe("the model of the agent's stores", () => {
  if (isFullRun) model("PGlite", withStores(makeFreshPglite()), 200)
  describe("the model", () => model("PostgreSQL", withStores(makeFreshPostgres()), isFullRun ? 300 : 6))
})
