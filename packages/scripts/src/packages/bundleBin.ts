import { globSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { rolldown } from "rolldown"
import type { Package } from "../manifest.ts"

const packageOf = (specifier: string): string =>
  specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/")

/** The versions that packages of the house name of packages of others. */
const versionsIn = (packages: ReadonlyArray<Package>): ReadonlyMap<string, string> =>
  new Map(
    packages.flatMap(({ manifest: { dependencies = {} } }) =>
      Object.entries(dependencies).filter(([name]) => !name.startsWith("@tapeline/"))
    )
  )

/**
 * Puts what a program takes of the house into the program itself, so that who installs it installs nothing of the house
 * beside it; gives what it takes of others, which stays a dependency. The program's folder holds nothing else then.
 */
export const bundleBin = async (
  { home, manifest }: Package,
  output: string,
  packages: ReadonlyArray<Package>
): Promise<Readonly<Record<string, string>>> => {
  const versions = versionsIn(packages)
  const dependencies = new Map<string, string>()
  for (const source of Object.values(manifest.bin ?? {})) {
    await using bundle = await rolldown({
      input: join(home, source),
      platform: "node",
      external: (id) => !/^[./]|^@tapeline\//.test(id)
    })
    const file = source.replace(/^\.\/src\//, "").replace(/\.ts$/, ".js")
    for (const path of globSync(`${dirname(file)}/**/*.{js,d.ts}`, { cwd: output })) rmSync(join(output, path))
    const { output: [chunk] } = await bundle.write({ file: join(output, file), format: "esm", codeSplitting: false })
    for (const specifier of chunk.imports.filter((specifier) => !specifier.startsWith("node:"))) {
      const name = packageOf(specifier)
      const version = versions.get(name)
      if (version === undefined) {
        throw new Error(`${manifest.name}: the program imports ${name}, which no manifest names`)
      }
      dependencies.set(name, version)
    }
  }
  return Object.fromEntries([...dependencies].sort(([a], [b]) => a < b ? -1 : 1))
}
