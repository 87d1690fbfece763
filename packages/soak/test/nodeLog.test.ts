import { expect, it } from "vitest"
import { readLog } from "../src/nodeLog.ts"

const line = (level: string, message: string) => `{"message":"${message}","level":"${level}","cause":"x"}\n`

it("counts logged errors, except an unhealthy lock storage that has recovered", () => {
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
