import { isFullRun } from "@tapeline/testing/fullRun"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { expect, test } from "vitest"

const run = promisify(execFile)
const script = fileURLToPath(new URL("./support/printFacts.ts", import.meta.url))
const digest = async (seed: string, order: string): Promise<string> =>
  (await run(process.execPath, [script, seed, order])).stdout

test(
  "market facts are the same bytes in two processes, for any order of queries and any cache size",
  async () => {
    const [one, other] = await Promise.all([digest("bytes", "forward"), digest("bytes", "backward")])
    expect(one).toMatch(/^[0-9a-f]{64}$/u)
    expect(other).toBe(one)
    if (isFullRun) expect(await digest("other bytes", "forward")).not.toBe(one)
  },
  60_000
)
