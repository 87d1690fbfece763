/** Runs the tests that are nearest to the uncommitted changes, or to the changes since `--base REVISION`. */
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, globSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { root } from "./manifest.ts"
import { chooseNearest, testDistances } from "./near/distances.ts"
import { readImports } from "./near/imports.ts"

/** The maximum total duration of the chosen test files, in milliseconds. */
const maxTotalMs = 60_000

/** The assumed duration in milliseconds of a test file that has never run on the machine. */
const defaultDurationMs = 3_000

const runGit = (...args: ReadonlyArray<string>): ReadonlyArray<string> =>
  execFileSync("git", args, { cwd: root, encoding: "utf8" }).split("\n").filter((line) => line !== "")

const changedSince = (base: string): ReadonlyArray<string> => [
  ...runGit("diff", "--name-only", "--merge-base", base),
  ...runGit("ls-files", "--others", "--exclude-standard")
]

/** Returns the last duration of each test file in milliseconds, from Vitest's cache. */
const readDurations = (): ReadonlyMap<string, number> => {
  const durations = new Map<string, number>()
  for (const file of globSync("node_modules/.vite/vitest/*/results.json", { cwd: root })) {
    const { projects }: {
      readonly projects: Readonly<Record<string, { readonly files: Record<string, { readonly duration: number }> }>>
    } = JSON.parse(readFileSync(join(root, file), "utf8"))
    for (const { files } of Object.values(projects)) {
      for (const [name, { duration }] of Object.entries(files)) durations.set(name, duration)
    }
  }
  return durations
}

const baseIndex = process.argv.indexOf("--base")
const base = baseIndex === -1 ? "HEAD" : process.argv[baseIndex + 1] ?? "HEAD"
const changedFiles = changedSince(base)
const durations = readDurations()
const distances = testDistances(readImports(root), changedFiles.map((file) => join(root, file)).filter(existsSync))
const chosenTests = chooseNearest(
  distances,
  (file) => durations.get(relative(root, file)) ?? defaultDurationMs,
  maxTotalMs
)
if (chosenTests.length === 0) {
  console.log(`No usual test depends on the ${changedFiles.length} changed files. Run npm test, or npm run test:full.`)
} else {
  console.log(
    `${changedFiles.length} changed files affect ${distances.size} test files. The nearest ${chosenTests.length} run now; npm test runs all.`
  )
  const vitest = join(root, "node_modules/vitest/vitest.mjs")
  const { status } = spawnSync(process.execPath, [vitest, "run", ...chosenTests], {
    cwd: root,
    stdio: "inherit"
  })
  process.exitCode = status ?? 1
}
