import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { expect, it } from "vitest"

it("returns and charges a price, and distinguishes a failed call from rejected arguments", () => {
  const printed = execFileSync(process.execPath, [join(import.meta.dirname, "../src/main.ts")], { encoding: "utf8" })
  expect(printed).toMatch(/^BTC [\d.]+ USD \(simulated\), 1999 credits left$/m)
  expect(printed).toMatch(/^CallFailed unknown_symbol: .*NOSUCH/m)
  expect(printed).toContain(`InvalidArguments [{"path":["tpyo"]`)
}, 60_000)
