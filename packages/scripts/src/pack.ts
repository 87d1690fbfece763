// Builds the named packages with all packages of this repository that they depend on, and packs each into a file of
// `dist/packed`: `npm run pack -- core market-sim postgres`. Without a name it packs all. Prints the command that
// installs them.
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { build, outputRoot } from "./build.ts"
import { published } from "./manifest.ts"
import { closureOf, UnknownPackage } from "./packages/closure.ts"
import { pack } from "./packages/pack.ts"

try {
  const packages = closureOf(process.argv.slice(2), published())
  await build(packages)
  const folder = join(outputRoot, "packed")
  mkdirSync(folder)
  console.log(`\nnpm install ${pack(packages, folder).map((path) => JSON.stringify(path)).join(" ")}`)
} catch (error) {
  if (!(error instanceof UnknownPackage)) throw error
  console.error(error.message)
  process.exitCode = 1
}
