// Packs all published packages, and checks them with publint and Are The Types Wrong. Installs them in an empty project
// and imports every entry of every package. The imports are checked as types, as bundlers and Node resolve them, and at
// run time on each supported Node. Compiles every example of a README, and runs an embedding program and a contract
// suite. Installs the bridge separately and connects it with a service.
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build, outputOf } from "./build.ts"
import { published } from "./manifest.ts"
import { bridgeAlone, bridgeRuns } from "./packages/bridge.ts"
import { lint, typesAreRight } from "./packages/lint.ts"
import { pack, refusesSources } from "./packages/pack.ts"
import { importsRun, otherNode, programsRun } from "./packages/run.ts"
import { installed, oldEffectIsRefused } from "./packages/stranger.ts"
import { specifiersOf, typesResolve } from "./packages/types.ts"

await build()
const packages = published()

const stray = packages.flatMap(({ short }) =>
  globSync("**/*.{js,d.ts}", { cwd: outputOf(short) })
    .filter((path) => readFileSync(join(outputOf(short), path), "utf8").includes("//# sourceMappingURL="))
    .map((path) => `${short}/${path}`)
)
if (stray.length > 0) throw new Error(`These name a source map that is not published: ${stray.join(", ")}`)

const elsewhere = mkdtempSync(join(tmpdir(), "tapeline-packages-"))
try {
  refusesSources(packages)
  const tarballs = pack(packages, elsewhere)
  await lint(tarballs)
  await typesAreRight(tarballs)
  const project = installed(elsewhere, tarballs)
  oldEffectIsRefused(elsewhere, tarballs)
  const specifiers = specifiersOf(project, packages)
  typesResolve(project, packages, specifiers)
  const nodes = [process.execPath, otherNode(elsewhere)]
  const imported = nodes.map((node) => importsRun(node, project, specifiers))
  programsRun(project)
  const beside = bridgeAlone(elsewhere, tarballs)
  for (const node of nodes) bridgeRuns(node, elsewhere, project)
  console.log(
    `packages: ${tarballs.length} packed, linted, installed elsewhere, type-checked both ways; ${specifiers.length} entries ` +
      `imported on ${imported.join(" and ")}; programs run; ` +
      `the bridge runs with ${beside.length} packages beside it: ${beside.join(", ")}`
  )
} finally {
  rmSync(elsewhere, { recursive: true, maxRetries: 3 })
}
