import { spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { existsSync, globSync, readFileSync, statfsSync } from "node:fs"
import { availableParallelism, freemem } from "node:os"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { TestReporter } from "./packages/scripts/src/TestReporter.ts"

// A third of the time is spent waiting for servers, databases and clocks, so three workers keep two cores busy.
process.env["VITEST_MAX_WORKERS"] ??= String(Math.max(3, availableParallelism() - 1))

// The workers inherit the seed, so that all random draws of a run depend on one seed.
const seed = process.env["TAPELINE_TEST_SEED"] ??= String(randomInt(2 ** 31))
if (!/^\d{1,10}$/.test(seed)) throw new Error(`TAPELINE_TEST_SEED is ${seed}: set a whole number below 2^31`)

const compiled = fileURLToPath(new URL("node_modules/.cache/tapeline-compiled", import.meta.url))
process.env["NODE_COMPILE_CACHE"] ??= compiled

// In a fresh clone, another process fills the compile cache on the core that is idle while Vitest starts.
if (!existsSync(process.env["NODE_COMPILE_CACHE"])) {
  const modules = globSync("packages/*/src/index.ts", { cwd: import.meta.dirname }).map((file) => `import "./${file}"`)
  spawn(process.execPath, ["--input-type=module", "--eval", modules.join("\n")], {
    cwd: import.meta.dirname,
    stdio: "ignore"
  }).on("error", () => undefined).unref()
}

// Tests create and drop hundreds of databases, whose files take less processor time in memory. Some tests run programs
// from their temporary folder, so that the folder must permit that.
const memoryFolder = "/dev/shm"
const isUsable = (): boolean => {
  const { bavail, bsize } = statfsSync(memoryFolder)
  const permitsPrograms = !/^\S+ \/dev\/shm \S+ \S*\bnoexec\b/mu.test(readFileSync("/proc/mounts", "utf8"))
  return permitsPrograms && Math.min(bavail * bsize, freemem()) > 6 * 2 ** 30
}
if (existsSync(memoryFolder) && isUsable()) process.env["TMPDIR"] ??= memoryFolder

const runsLongest = ({ moduleId }: TestSpecification): boolean =>
  /\/packages\/soak\/|\/test\/e2e\/|toolsOverOneWorld|week\.full/.test(moduleId)

/** Starts the longest test files first, because a long file that starts last would run alone. */
class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>) {
    const sorted = await super.sort(files)
    return [...sorted.filter(runsLongest), ...sorted.filter((file) => !runsLongest(file))]
  }
}

/** The packages whose tests need no set-up share one Vitest project, because each project costs its own workers. */
const units =
  "charts,core,document,evaluation,market-live,market-sim,mcp,offline-analyst,openai,openid,quant,redis,sandbox,scripts,soak,testing"

const isFullRun = process.env["TAPELINE_TEST_FULL"] === "1"

// `viteModuleRunner: false` saves a fifth of the computation: Node reuses its compile cache, and every imported name is
// a binding instead of a getter.
const unitProject = (name: string, include: Array<string>, isolate: boolean) => ({
  test: {
    name,
    include,
    experimental: { viteModuleRunner: false, nodeLoader: false },
    isolate,
    // Short-lived candles fill a small young generation so often that its collection takes a sixth of the time.
    execArgv: ["--max-semi-space-size=64"],
    // Some tests compute a million candles, or start processes on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 60_000
  }
})

// The files of a worker share modules. The modules keep their simulated worlds until the worker ends. In a full run
// these worlds would fill a worker's memory, so that each file of market-sim gets its own worker.
const unitProjects = isFullRun
  ? [
    unitProject("market-sim", ["packages/market-sim/test/**/*.test.ts"], true),
    unitProject("units", [
      `packages/{${units.replace("market-sim,", "")}}/test/**/*.test.ts`,
      "examples/*/test/*.test.ts"
    ], false)
  ]
  : [unitProject("units", [`packages/{${units}}/test/**/*.test.ts`, "examples/*/test/*.test.ts"], false)]

export default defineConfig({
  test: {
    projects: [
      `packages/!(${units.replaceAll(",", "|")})`,
      ...unitProjects
    ],
    reporters: [new TestReporter()],
    silent: "passed-only",
    // With `--sequence.shuffle`, Vitest's own order applies.
    sequence: process.argv.some((argument) => argument.startsWith("--sequence.shuffle"))
      ? {}
      : { sequencer: LongestFirst }
  }
})
