import { describe, expect, it } from "vitest"
import { runFailpoint } from "../src/answers/failpoints.ts"
import {
  cancelAfterOwnerDied,
  cancelFromOtherProcess,
  gracefulHandover,
  restartSingleProcess
} from "../src/answers/scenarios.ts"
import { withTestWorld } from "../src/answers/testWorld.ts"
import { runTaskFailpoint } from "../src/tasks/failpoints.ts"

describe("Answers and task firings whose process ends", () => {
  it("continue from the last finished step on the embedded database", async () => {
    expect(await restartSingleProcess()).toEqual([])
  }, 120_000)

  it("continue in another process on PostgreSQL, and each due task fires once", async () => {
    const findings = await withTestWorld(async (world) => [
      ...await runFailpoint(world, { point: "after:store", nth: 2, signal: "SIGKILL" }),
      ...await runFailpoint(world, { point: "before:append", nth: 4, signal: "SIGSTOP" }),
      ...await gracefulHandover(world),
      ...await cancelAfterOwnerDied(world),
      ...await cancelFromOtherProcess(world),
      ...await runTaskFailpoint(world, { point: "task after:claim", nth: 3, signal: "SIGKILL" }),
      ...await runTaskFailpoint(world, { point: "task within:end", nth: 1, signal: "SIGKILL" }),
      ...await runTaskFailpoint(world, { point: "task before:end", nth: 1, signal: "SIGSTOP" })
    ])
    expect(findings).toEqual([])
  }, 180_000)
})
