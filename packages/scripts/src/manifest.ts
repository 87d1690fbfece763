import { globSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
  /** The address of the repository in the root manifest, such as `https://git.example/tapeline.git`. */
  readonly repository?: string
  readonly publishConfig?: { readonly access: "public"; readonly provenance: true }
  readonly exports?: Readonly<Record<string, string | null>>
  readonly bin?: Readonly<Record<string, string>>
  readonly sideEffects?: boolean | ReadonlyArray<string>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional: boolean }>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

export interface RepositoryPackage {
  /** The name of a package's folder, which is the package's name without the scope `@tapeline`. */
  readonly folderName: string
  readonly directory: string
  readonly manifest: Manifest
}

export const root = resolve(import.meta.dirname, "../../..")

// The manifests belong to this repository, and each use of a field checks the field.
export const readManifest = (path: string): Manifest => JSON.parse(readFileSync(path, "utf8")) as Manifest

/** Returns the packages whose manifests contain `publishConfig`. */
export const listPublishedPackages = (): ReadonlyArray<RepositoryPackage> =>
  globSync("packages/*/package.json", { cwd: root })
    .sort()
    .map((path) => ({
      folderName: relative("packages", dirname(path)),
      directory: join(root, dirname(path)),
      manifest: readManifest(join(root, path))
    }))
    .filter(({ manifest }) => manifest.publishConfig !== undefined)

export const versionOf = (name: string): string => {
  const manifests = [
    readManifest(join(root, "package.json")),
    ...listPublishedPackages().map(({ manifest }) => manifest)
  ]
  const found = manifests.map(({ devDependencies }) => devDependencies?.[name]).find((version) => version !== undefined)
  if (found === undefined) throw new Error(`No package.json of the repository contains a version of ${name}`)
  return found
}

const builtPath = (source: string, extension: string): string =>
  `./${relative("src", source).replaceAll("\\", "/").replace(/\.ts$/, extension)}`

/** Returns the repository of a published package, which a registry compares with the provenance of the package. */
const publishedRepository = (name: string) => {
  const { repository } = readManifest(join(root, "package.json"))
  return repository === undefined
    ? {}
    : { repository: { type: "git", url: `git+${repository}`, directory: `packages/${name.split("/")[1]}` } }
}

/** The files of one entry in the `exports` of a package. Null stands for an entry that must not be imported. */
export type PackageEntry = { readonly types: string; readonly default: string } | null

export const toPublishedManifest = (manifest: Manifest) => ({
  name: manifest.name,
  version: manifest.version,
  description: manifest.description,
  license: manifest.license,
  ...publishedRepository(manifest.name),
  type: "module",
  engines: { node: ">=22.19" },
  publishConfig: manifest.publishConfig,
  sideEffects: manifest.sideEffects ?? Object.values(manifest.bin ?? {}).map((source) => builtPath(source, ".js")),
  exports: {
    ...Object.fromEntries(
      Object.entries(manifest.exports ?? {}).map(([name, source]) => [
        name,
        source === null ? null : { types: builtPath(source, ".d.ts"), default: builtPath(source, ".js") }
      ])
    ),
    "./package.json": "./package.json"
  },
  ...(manifest.bin === undefined
    ? {}
    : {
      bin: Object.fromEntries(Object.entries(manifest.bin).map(([name, source]) => [name, builtPath(source, ".js")]))
    }),
  files: ["**/*.js", "**/*.d.ts", "README.md", "configuration.md", "LICENSE", "app/**", "fonts/**"],
  dependencies: manifest.dependencies ?? {},
  peerDependencies: manifest.peerDependencies ?? {},
  ...(manifest.peerDependenciesMeta === undefined ? {} : { peerDependenciesMeta: manifest.peerDependenciesMeta })
})

/** Returns the entries of a built package; a pattern such as `./contracts/*` becomes one entry for each file. */
export const listEntries = (
  folder: string,
  exports: Readonly<Record<string, PackageEntry | string>>
): ReadonlyArray<string> =>
  Object.entries(exports).flatMap(([name, target]) => {
    if (target === null || typeof target === "string") return []
    if (!name.includes("*")) return [name]
    return globSync(target.default, { cwd: folder }).map((path) => {
      const prefixAndSuffix = target.default.slice(2).split("*")
      return name.replace("*", path.slice(prefixAndSuffix[0]!.length, path.length - prefixAndSuffix[1]!.length))
    })
  })
