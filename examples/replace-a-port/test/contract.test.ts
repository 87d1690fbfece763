import { rateLimitStoreContract } from "@tapeline/testing/contracts/rateLimitStore"
import { TestClock } from "effect/testing"
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { expect, it } from "vitest"
import { ForgettingWindowStore } from "../src/ForgettingWindowStore.ts"

rateLimitStoreContract("ForgettingWindowStore", ForgettingWindowStore, TestClock.adjust)

it("limits requests of an engine", () => {
  const printed = execFileSync(process.execPath, [join(import.meta.dirname, "../src/main.ts")], { encoding: "utf8" })
  expect(printed).toContain("10 of 15 requests admitted")
}, 60_000)
