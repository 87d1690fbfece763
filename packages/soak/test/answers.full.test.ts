import { describe, expect, it } from "vitest"
import { cancelElsewhere, cancelOfTheDead, handover, restart } from "../src/answers/hardships.ts"
import { strike } from "../src/answers/matrix.ts"
import { withWorld } from "../src/answers/world.ts"
import { strikeTasks } from "../src/tasks/matrix.ts"

/**
 * A sample of `npm run soak:answers` and `npm run soak:tasks`, which kill and freeze the process at each durable write.
 */
describe("Answers and task firings whose process ends", () => {
  it("continue from the last finished step on the embedded database", async () => {
    expect(await restart()).toEqual([])
  }, 120_000)

  it("continue in another process on PostgreSQL, and each due task fires once", async () => {
    const findings = await withWorld(async (world) => [
      ...await strike(world, { point: "after:store", nth: 2, signal: "SIGKILL" }),
      ...await strike(world, { point: "before:append", nth: 4, signal: "SIGSTOP" }),
      ...await handover(world),
      ...await cancelOfTheDead(world),
      ...await cancelElsewhere(world),
      ...await strikeTasks(world, { point: "task after:claim", nth: 3, signal: "SIGKILL" }),
      ...await strikeTasks(world, { point: "task within:end", nth: 1, signal: "SIGKILL" }),
      ...await strikeTasks(world, { point: "task before:end", nth: 1, signal: "SIGSTOP" })
    ])
    expect(findings).toEqual([])
  }, 180_000)
})
