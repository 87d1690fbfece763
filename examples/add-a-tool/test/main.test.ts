import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { expect, it } from "vitest"

it("lists, documents and runs the new tool", () => {
  const printed = execFileSync(process.execPath, [join(import.meta.dirname, "../src/main.ts")], { encoding: "utf8" })
  expect(printed).toMatch(/^get_market_overview get_price .*get_range_rank$/m)
  expect(printed).toContain("Where the range of a coin's last closed day stands")
  expect(printed).toContain(`"coin": "ETH"`)
  expect(printed).toMatch(/"range_pct": \d+\.\d{1,4},/)
  expect(printed).toMatch(/"rank_pct": \d/)
}, 60_000)
