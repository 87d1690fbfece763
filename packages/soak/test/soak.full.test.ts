import { describe, expect, it } from "vitest"
import { runSoak } from "../src/soak.ts"

/** A short soak with a fixed seed, so that a failure can be repeated. */
const short = { seed: 11, callers: 6, longestMs: 800, print: () => undefined }

describe("A short soak", () => {
  it("finds no faults in one process on the embedded database", async () => {
    const { charged, findings } = await runSoak({ ...short, ground: "pglite", rounds: 2 })
    expect(findings).toEqual([])
    expect(charged).toBeGreaterThan(0)
  }, 120_000)

  it("finds no faults in two processes on PostgreSQL", async () => {
    const { charged, findings } = await runSoak({ ...short, ground: "postgres", rounds: 4 })
    expect(findings).toEqual([])
    expect(charged).toBeGreaterThan(0)
  }, 120_000)
})
