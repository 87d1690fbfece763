import { spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { existsSync, globSync } from "node:fs"
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { TestReporter } from "./packages/scripts/src/TestReporter.ts"

// A third of the time goes to waiting for servers, databases and clocks, so that three workers keep two cores busy. Each
// project counts its own workers, and hears of a number for all by this variable alone.
process.env["VITEST_MAX_WORKERS"] ??= String(Math.max(3, availableParallelism() - 1))

// One seed for all that this run draws. The workers inherit it.
const seed = process.env["TAPELINE_TEST_SEED"] ??= String(randomInt(2 ** 31))
if (!/^\d{1,10}$/.test(seed)) throw new Error(`TAPELINE_TEST_SEED is ${seed}: set a whole number below 2^31`)

// Every worker, every thread of one and every process that a test starts loads the same thousand modules.
const compiled = fileURLToPath(new URL("node_modules/.cache/tapeline-compiled", import.meta.url))
process.env["NODE_COMPILE_CACHE"] ??= compiled

// In a fresh clone another process compiles them first, on the core that the start of Vitest leaves idle.
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

// Projects say `viteModuleRunner: false` where they can: Node loads the sources as it does in production and keeps what
// it compiled, and every imported name is a binding instead of a getter. It is a fifth of what tests compute.
export default defineConfig({
  test: {
    projects: [
      `packages/!(${units.replaceAll(",", "|")})`,
      {
        test: {
          name: "units",
          include: [`packages/{${units}}/test/**/*.test.ts`, "examples/*/test/*.test.ts"],
          experimental: { viteModuleRunner: false, nodeLoader: false },
          // The files of a worker share its modules: nothing here keeps state outside a test.
          isolate: false,
          // Short-lived candles fill a small young generation so often that its collection takes a sixth of the time.
          execArgv: ["--max-semi-space-size=64"],
          // Every test ends by itself; some compute a million candles, or start processes on a busy machine.
          testTimeout: 120_000,
          hookTimeout: 60_000
        }
      }
    ],
    reporters: [new TestReporter()],
    // Output of passed tests is noise.
    silent: "passed-only",
    // Files in a random order, where they are asked for, are Vitest's own.
    sequence: process.argv.some((argument) => argument.startsWith("--sequence.shuffle"))
      ? {}
      : { sequencer: LongestFirst }
  }
})
