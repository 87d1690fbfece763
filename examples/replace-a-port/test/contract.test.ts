import { requestWindowStoreContract } from "@tapeline/testing/contracts/requestWindowStore"
import { TestClock } from "effect/testing"
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { expect, it } from "vitest"
import { ForgettingWindowStore } from "../src/ForgettingWindowStore.ts"

// The suite moves the time itself: here, the test clock.
requestWindowStoreContract("ForgettingWindowStore", ForgettingWindowStore, TestClock.adjust)

it("the engine runs on it", () => {
  const printed = execFileSync(process.execPath, [join(import.meta.dirname, "../src/main.ts")], { encoding: "utf8" })
  expect(printed).toContain("10 of 15 requests admitted")
}, 60_000)
