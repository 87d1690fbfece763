import { describe, expect, it } from "vitest"
import { readLog } from "../src/nodeLog.ts"
import { soak } from "../src/soak.ts"

/** A short soak; the long one is `npm run soak`. The same seed each time, so that a failure can be looked into. */
const short = { seed: 11, callers: 6, longestMs: 800, print: () => undefined }

describe("A short soak", () => {
  it("on the embedded database finds nothing", async () => {
    const { charged, findings } = await soak({ ...short, ground: "pglite", rounds: 2 })
    expect(findings).toEqual([])
    expect(charged).toBeGreaterThan(0)
  }, 120_000)

  it("on two processes and a PostgreSQL of its own finds nothing", async () => {
    const { charged, findings } = await soak({ ...short, ground: "postgres", rounds: 4 })
    expect(findings).toEqual([])
    expect(charged).toBeGreaterThan(0)
  }, 120_000)
})

describe("The log of a node", () => {
  const line = (level: string, message: string) => `{"message":"${message}","level":"${level}","cause":"x"}\n`

  it("of which each error is a finding, a cluster's word for a fault only until it is taken back", () => {
    const errors = new Map<string, number>()
    const log = readLog(errors)
    const away = line("ERROR", "Shard lock storage is unhealthy")
    log.take(away.slice(0, 30))
    expect(log.letGo()).toBe(false)
    log.take(away.slice(30) + line("ERROR", "Another") + line("WARN", "Shard lock storage is still unhealthy"))
    expect(log.letGo()).toBe(true)
    log.take(line("INFO", "Shard lock storage has recovered") + line("ERROR", "Another"))
    expect(log.letGo()).toBe(false)
    expect([...errors]).toEqual([["Another", 2]])
  })
})
