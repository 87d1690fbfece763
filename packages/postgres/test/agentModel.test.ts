import { runAgentModel } from "@tapeline/testing/agent/modelRun"
import { runTaskModel } from "@tapeline/testing/tasks/modelRun"
import { Effect, type Layer, ManagedRuntime } from "effect"
import { assert, describe, it } from "vitest"
import { ageTasks } from "./support/ageTasks.ts"
import { type Client, freshPglite, freshPostgres, onPostgres, type Stores, withStores } from "./support/databases.ts"

const full = process.env["TAPELINE_TEST_FULL"] === "1"

/** The models' runs on one database, each on accounts of its own. */
const model = (name: string, stores: Layer.Layer<Stores | Client>, runs: number) =>
  it(`holds on ${name}`, { timeout: 600_000 }, async () => {
    const runtime = ManagedRuntime.make(stores)
    const agent = await runAgentModel((effect) => runtime.runPromise(effect), { runs })
    const time = { moves: "rows", by: ageTasks } as const
    const tasks = await runTaskModel<Client>((effect) => runtime.runPromise(effect), time, { runs })
    await Effect.runPromise(runtime.disposeEffect)
    console.log(`${name}: seeds ${agent.seed} and ${tasks.seed}, ${runs} runs`)
    assert.isNull(agent.failure)
    assert.isNull(tasks.failure)
  })

describe("the models of the agent's stores and of tasks", () => {
  model("PGlite", withStores(freshPglite()), full ? 200 : 6)
  onPostgres("the model", () => model("PostgreSQL", withStores(freshPostgres()), full ? 300 : 6))
})
