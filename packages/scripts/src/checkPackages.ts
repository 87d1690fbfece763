// Packs all published packages, checks them with publint and Are The Types Wrong, and imports every entry in an empty
// project. The imports are checked as types, and at run time on each supported version of Node.
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { buildPackages, outputDirOf } from "./build.ts"
import { listPublishedPackages } from "./manifest.ts"
import { checkBridgeRuns, installBridge } from "./packages/checkBridge.ts"
import { checkImports, checkPrograms, installOlderNode } from "./packages/checkPrograms.ts"
import { checkTypeResolution, listSpecifiers } from "./packages/checkTypes.ts"
import { checkTypes, runPublint } from "./packages/lint.ts"
import { checkSourcesCannotBePacked, packTarballs } from "./packages/pack.ts"
import { checkOldEffectRejected, installAllPackages } from "./packages/userProject.ts"

await buildPackages()
const packages = listPublishedPackages()

const sourceMapReferences = packages.flatMap(({ folderName }) =>
  globSync("**/*.{js,d.ts}", { cwd: outputDirOf(folderName) })
    .filter((path) => readFileSync(join(outputDirOf(folderName), path), "utf8").includes("//# sourceMappingURL="))
    .map((path) => `${folderName}/${path}`)
)
if (sourceMapReferences.length > 0) {
  throw new Error(`These files refer to a source map that is not published: ${sourceMapReferences.join(", ")}`)
}

const tempDir = mkdtempSync(join(tmpdir(), "tapeline-packages-"))
try {
  checkSourcesCannotBePacked(packages)
  const tarballs = packTarballs(packages, tempDir)
  await runPublint(tarballs)
  await checkTypes(tarballs)
  const project = installAllPackages(tempDir, tarballs)
  checkOldEffectRejected(tempDir, tarballs)
  const specifiers = listSpecifiers(project, packages)
  checkTypeResolution(project, packages, specifiers)
  const nodePaths = [process.execPath, installOlderNode(tempDir)]
  const importedVersions = nodePaths.map((node) => checkImports(node, project, specifiers))
  checkPrograms(project)
  const bridgeDependencies = installBridge(tempDir, tarballs)
  for (const node of nodePaths) checkBridgeRuns(node, tempDir, project)
  console.log(
    `packages: ${tarballs.length} packed, linted, installed, type-checked in both ways; ${specifiers.length} entries ` +
      `imported on ${importedVersions.join(" and ")}; programs run; ` +
      `the bridge runs with ${bridgeDependencies.length} other packages: ${bridgeDependencies.join(", ")}`
  )
} finally {
  rmSync(tempDir, { recursive: true, maxRetries: 3 })
}
