import { describe, expect, it } from "vitest"
import { soak } from "../src/soak.ts"

/** A short soak; the long one is `npm run soak`. The same seed each time, so that a failure can be looked into. */
const short = { seed: 11, callers: 6, longestMs: 800, print: () => undefined }

describe("A short soak", () => {
  it("on the embedded database finds nothing", async () => {
    const { charged, findings } = await soak({ ...short, ground: "pglite", rounds: 2 })
    expect(findings).toEqual([])
    expect(charged).toBeGreaterThan(0)
  }, 120_000)

  it.skipIf(process.env["TEST_DATABASE_URL"] !== undefined)(
    "on two processes and a PostgreSQL of its own finds nothing",
    async (test) => {
      const report = await soak({ ...short, ground: "postgres", rounds: 4 }).catch((cause: unknown) => {
        if (process.env["CI"] || !String(cause).includes("PostgreSQL's own programs")) throw cause
        return test.skip(String(cause))
      })
      expect(report.findings).toEqual([])
      expect(report.charged).toBeGreaterThan(0)
    },
    120_000
  )
})
