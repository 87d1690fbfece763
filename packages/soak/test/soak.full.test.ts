import { describe, expect, it } from "vitest"
import { soak } from "../src/soak.ts"

/** The settings of a short soak. The seed is fixed, so that a failure can be repeated. The long soak is `npm run soak`. */
const short = { seed: 11, callers: 6, longestMs: 800, print: () => undefined }

describe("A short soak", () => {
  it("finds no faults in one process on the embedded database", async () => {
    const { charged, findings } = await soak({ ...short, ground: "pglite", rounds: 2 })
    expect(findings).toEqual([])
    expect(charged).toBeGreaterThan(0)
  }, 120_000)

  it("finds no faults in two processes on PostgreSQL", async () => {
    const { charged, findings } = await soak({ ...short, ground: "postgres", rounds: 4 })
    expect(findings).toEqual([])
    expect(charged).toBeGreaterThan(0)
  }, 120_000)
})
