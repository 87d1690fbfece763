import { spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { existsSync, globSync } from "node:fs"
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { TestReporter } from "./packages/scripts/src/TestReporter.ts"

// A third of the time is spent waiting for servers, databases and clocks, so three workers keep two cores busy. Each
// project counts its own workers. Only this variable sets a number for all projects.
process.env["VITEST_MAX_WORKERS"] ??= String(Math.max(3, availableParallelism() - 1))

// One seed for all random draws of this run. The workers inherit it.
const seed = process.env["TAPELINE_TEST_SEED"] ??= String(randomInt(2 ** 31))
if (!/^\d{1,10}$/.test(seed)) throw new Error(`TAPELINE_TEST_SEED is ${seed}: set a whole number below 2^31`)

// Every worker, each of its threads and every process of a test loads the same thousand modules.
const compiled = fileURLToPath(new URL("node_modules/.cache/tapeline-compiled", import.meta.url))
process.env["NODE_COMPILE_CACHE"] ??= compiled

// In a fresh clone, another process compiles them first, on the core that is idle while Vitest starts.
if (!existsSync(process.env["NODE_COMPILE_CACHE"])) {
  const modules = globSync("packages/*/src/index.ts", { cwd: import.meta.dirname }).map((file) => `import "./${file}"`)
  spawn(process.execPath, ["--input-type=module", "--eval", modules.join("\n")], {
    cwd: import.meta.dirname,
    stdio: "ignore"
  }).on("error", () => undefined).unref()
}

/** Files that wait more than they compute, and files that run much longer than others. */
const runsLongest = ({ moduleId }: TestSpecification): boolean =>
  /\/packages\/soak\/|\/test\/e2e\/|toolsOverOneWorld|week\.full/.test(moduleId)

/** Starts the longest files first. A long file that starts last would run alone. */
class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>) {
    const sorted = await super.sort(files)
    return [...sorted.filter(runsLongest), ...sorted.filter((file) => !runsLongest(file))]
  }
}

/** Packages whose tests need no set-up. With the examples they are one project: each project costs its own workers. */
const units =
  "charts,core,document,evaluation,market-live,market-sim,mcp,offline-analyst,openai,openid,quant,redis,sandbox,scripts,soak,testing"

// Projects set `viteModuleRunner: false` where possible. Node then loads the sources as in production and reuses its
// compile cache, and every imported name is a binding instead of a getter. This saves a fifth of the tests'
// computation.
export default defineConfig({
  test: {
    projects: [
      `packages/!(${units.replaceAll(",", "|")})`,
      {
        test: {
          name: "units",
          include: [`packages/{${units}}/test/**/*.test.ts`, "examples/*/test/*.test.ts"],
          experimental: { viteModuleRunner: false, nodeLoader: false },
          // The files of a worker share its modules, because they keep no state outside a test.
          isolate: false,
          // Short-lived candles fill a small young generation so often that its collection takes a sixth of the time.
          execArgv: ["--max-semi-space-size=64"],
          // Every test ends without this limit. Some tests compute a million candles, or start processes on a busy
          // machine.
          testTimeout: 120_000,
          hookTimeout: 60_000
        }
      }
    ],
    reporters: [new TestReporter()],
    // The output of passed tests is not useful.
    silent: "passed-only",
    // With `--sequence.shuffle`, Vitest's own order applies.
    sequence: process.argv.some((argument) => argument.startsWith("--sequence.shuffle"))
      ? {}
      : { sequencer: LongestFirst }
  }
})
