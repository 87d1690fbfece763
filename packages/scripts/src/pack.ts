// Builds the named packages and their dependencies within the repository, by default all packages, and packs each
// package into a file of `dist/packed`: `npm run pack -- core market-sim postgres`.
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { buildPackages, outputRoot } from "./build.ts"
import { listPublishedPackages } from "./manifest.ts"
import { packTarballs } from "./packages/pack.ts"
import { UnknownPackage, withDependencies } from "./packages/withDependencies.ts"

try {
  const packages = withDependencies(process.argv.slice(2), listPublishedPackages())
  await buildPackages(packages)
  const folder = join(outputRoot, "packed")
  mkdirSync(folder)
  console.log(`\nnpm install ${packTarballs(packages, folder).map((path) => JSON.stringify(path)).join(" ")}`)
} catch (error) {
  if (!(error instanceof UnknownPackage)) throw error
  console.error(error.message)
  process.exitCode = 1
}
