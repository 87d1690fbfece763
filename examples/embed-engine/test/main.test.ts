import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { expect, it } from "vitest"

it("answers with a price, charges it, and names a wrong argument", () => {
  const printed = execFileSync(process.execPath, [join(import.meta.dirname, "../src/main.ts")], { encoding: "utf8" })
  expect(printed).toContain(`"tool": "get_price"`)
  expect(printed).toContain(`"credits_used": 1`)
  expect(printed).toContain(`"credits_left": 1999`)
  expect(printed).toContain(`"source": "simulated"`)
  expect(printed).toContain(`InvalidArguments [{"path":["tpyo"]`)
}, 60_000)
