import { globSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { rolldown } from "rolldown"
import type { RepositoryPackage } from "../manifest.ts"

const packageName = (specifier: string): string =>
  specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/")

const externalVersions = (packages: ReadonlyArray<RepositoryPackage>): ReadonlyMap<string, string> =>
  new Map(
    packages.flatMap(({ manifest: { dependencies = {} } }) =>
      Object.entries(dependencies).filter(([name]) => !name.startsWith("@tapeline/"))
    )
  )

/**
 * Bundles each program of a package into a single file, including the modules of other packages in the repository.
 * Returns the dependencies that are not bundled, by package name.
 */
export const bundleBin = async (
  { directory, manifest }: RepositoryPackage,
  output: string,
  packages: ReadonlyArray<RepositoryPackage>
): Promise<Readonly<Record<string, string>>> => {
  const versions = externalVersions(packages)
  const dependencies = new Map<string, string>()
  for (const source of Object.values(manifest.bin ?? {})) {
    await using bundle = await rolldown({
      input: join(directory, source),
      platform: "node",
      external: (id) => !/^[./]|^@tapeline\//.test(id)
    })
    const file = source.replace(/^\.\/src\//, "").replace(/\.ts$/, ".js")
    for (const path of globSync(`${dirname(file)}/**/*.{js,d.ts}`, { cwd: output })) rmSync(join(output, path))
    const { output: [chunk] } = await bundle.write({ file: join(output, file), format: "esm", codeSplitting: false })
    for (const specifier of chunk.imports.filter((specifier) => !specifier.startsWith("node:"))) {
      const name = packageName(specifier)
      const version = versions.get(name)
      if (version === undefined) {
        throw new Error(`${manifest.name}: the program imports ${name}, but no package.json contains its version`)
      }
      dependencies.set(name, version)
    }
  }
  return Object.fromEntries([...dependencies].sort(([a], [b]) => a < b ? -1 : 1))
}
