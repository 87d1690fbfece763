import { expect, it } from "vitest"
import { makeLogReader } from "../src/nodeLog.ts"

const line = (level: string, message: string) => `{"message":"${message}","level":"${level}","cause":"x"}\n`

it("counts logged errors, except an unhealthy lock storage that has recovered", () => {
  const errors = new Map<string, number>()
  const log = makeLogReader(errors)
  const lockStorageError = line("ERROR", "Shard lock storage is unhealthy")
  log.append(lockStorageError.slice(0, 30))
  expect(log.hasReleasedShards()).toBe(false)
  log.append(
    lockStorageError.slice(30) + line("ERROR", "Another") + line("WARN", "Shard lock storage is still unhealthy")
  )
  expect(log.hasReleasedShards()).toBe(true)
  log.append(line("INFO", "Shard lock storage has recovered") + line("ERROR", "Another"))
  expect(log.hasReleasedShards()).toBe(false)
  expect([...errors]).toEqual([["Another", 2]])
})
