// Packs all published packages, publishes them without sending, checks them with publint and Are The Types Wrong, and
// imports every entry in an empty project. The imports are checked as types, and at run time on each supported version
// of Node. Checks the licences and known vulnerabilities of runtime dependencies, and writes the bill of materials.
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { buildPackages, outputDirOf, outputRoot } from "./build.ts"
import { listPublishedPackages } from "./manifest.ts"
import { checkBridgeRuns, installBridge } from "./packages/checkBridge.ts"
import { checkImports, checkPrograms, installOlderNode } from "./packages/checkPrograms.ts"
import { checkTypeResolution, listSpecifiers } from "./packages/checkTypes.ts"
import { checkTypes, runPublint } from "./packages/lint.ts"
import { checkSourcesCannotBePacked, packTarballs } from "./packages/pack.ts"
import { checkPublication } from "./packages/publish.ts"
import { checkOldEffectRejected, installAllPackages } from "./packages/userProject.ts"
import { withDependencies } from "./packages/withDependencies.ts"
import { auditPackages } from "./release/audit.ts"
import { findForbiddenLicences } from "./release/licences.ts"
import { listRuntimePackages } from "./release/runtimePackages.ts"
import { makeSbom } from "./release/sbom.ts"

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

const runtimePackages = [...listRuntimePackages().values()]
const forbiddenLicences = findForbiddenLicences(runtimePackages)
if (forbiddenLicences.length > 0) {
  throw new Error(`These runtime dependencies have licences that are not permitted: ${forbiddenLicences.join(", ")}`)
}
const audit = auditPackages(runtimePackages)
if ("unavailable" in audit) {
  console.log(`npm audit: not checked, because the service is unavailable: ${audit.unavailable}`)
} else {
  for (const line of [...audit.severe, ...audit.other]) console.log(`npm audit: ${line}`)
  if (audit.severe.length > 0) throw new Error("Runtime dependencies have vulnerabilities of high severity, see above")
}
const serverPackages = listRuntimePackages(withDependencies(["server"], packages))
const sbomFile = join(outputRoot, "server.cdx.json")
const sbom = makeSbom("@tapeline/server", serverPackages.values())
writeFileSync(sbomFile, `${JSON.stringify(sbom, null, 2)}\n`)
console.log(`${sbomFile}: ${sbom.components.length} components`)

const tempDir = mkdtempSync(join(tmpdir(), "tapeline-packages-"))
try {
  checkSourcesCannotBePacked(packages)
  const packedDir = join(outputRoot, "packed")
  mkdirSync(packedDir)
  const tarballs = packTarballs(packages, packedDir)
  checkPublication(packages, tarballs)
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
    `packages: ${tarballs.length} packed, published without sending, linted, installed, type-checked in both ways; ${specifiers.length} entries ` +
      `imported on ${importedVersions.join(" and ")}; programs run; ` +
      `the bridge runs with ${bridgeDependencies.length} other packages: ${bridgeDependencies.join(", ")}`
  )
} finally {
  rmSync(tempDir, { recursive: true, maxRetries: 3 })
}
