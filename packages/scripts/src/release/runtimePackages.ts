import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { listPublishedPackages, type RepositoryPackage, root } from "../manifest.ts"

/** An entry of `packages` in a lock file of npm. */
export interface LockedPackage {
  readonly name?: string
  readonly version?: string
  readonly license?: string
  readonly resolved?: string
  readonly link?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

/** The entries of a lock file by the paths of the packages, such as `node_modules/effect`. */
export type LockedPackages = Readonly<Record<string, LockedPackage>>

/** A package that runs in a server or an application that installs the published packages. */
export interface RuntimePackage {
  readonly name: string
  readonly version: string
  readonly license: string | undefined
}

export const readLockedPackages = (): LockedPackages =>
  // npm writes the lock file, and its version is in the repository.
  (JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as { readonly packages: LockedPackages }).packages

/** Returns the path of the copy of a package that Node finds from the package at `from`, or undefined. */
const findInstalledPath = (locked: LockedPackages, from: string, name: string): string | undefined => {
  for (let folder = from;; folder = folder.replace(/(^|\/)(node_modules\/)?[^/]*$/u, "")) {
    const path = folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    const entry = locked[path]
    if (entry !== undefined) return entry.link === true ? entry.resolved : path
    if (folder === "") return undefined
  }
}

const requiredNames = (entry: LockedPackage): ReadonlyArray<string> => [
  ...Object.keys(entry.dependencies ?? {}),
  ...Object.keys(entry.optionalDependencies ?? {}),
  ...Object.keys(entry.peerDependencies ?? {}).filter((name) => entry.peerDependenciesMeta?.[name]?.optional !== true)
]

/**
 * Returns the packages that an installation of the packages at `paths` contains, including their dependencies and
 * required peers, by path. Optional packages of other platforms are included. `bundled` has names of further
 * dependencies by path.
 */
export const findRuntimePackages = (
  locked: LockedPackages,
  paths: ReadonlyArray<string>,
  bundled: Readonly<Record<string, ReadonlyArray<string>>> = {}
): ReadonlyMap<string, RuntimePackage> => {
  const found = new Map<string, RuntimePackage>()
  const visit = (path: string): void => {
    const entry = locked[path]
    if (entry === undefined) throw new Error(`package-lock.json has no package ${path}`)
    if (found.has(path)) return
    const name = entry.name ?? path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)
    found.set(path, { name, version: entry.version ?? "", license: entry.license })
    for (const required of [...requiredNames(entry), ...bundled[path] ?? []]) {
      const target = findInstalledPath(locked, path, required)
      if (target !== undefined) visit(target)
      else if (entry.dependencies?.[required] !== undefined) {
        throw new Error(`package-lock.json lacks ${required}, which ${name} requires`)
      }
    }
  }
  paths.forEach(visit)
  return found
}

/** Returns the development dependencies of the console whose code or fonts its built pages contain. */
const findBundledInConsole = ({ directory, manifest }: RepositoryPackage): ReadonlyArray<string> => {
  const sources = globSync("browser/**/*.{css,ts,tsx}", { cwd: directory })
    .map((path) => readFileSync(join(directory, path), "utf8"))
  return Object.keys(manifest.devDependencies ?? {})
    .filter((name) => sources.some((text) => text.includes(`"${name}"`) || text.includes(`"${name}/`)))
}

/** Returns the runtime packages of some published packages, by default all, from the lock file. */
export const listRuntimePackages = (
  packages: ReadonlyArray<RepositoryPackage> = listPublishedPackages()
): ReadonlyMap<string, RuntimePackage> => {
  const bundled = listPublishedPackages().filter(({ folderName }) => folderName === "console")
    .map((entry) => [`packages/${entry.folderName}`, findBundledInConsole(entry)] as const)
  return findRuntimePackages(
    readLockedPackages(),
    packages.map(({ folderName }) => `packages/${folderName}`),
    Object.fromEntries(bundled)
  )
}
