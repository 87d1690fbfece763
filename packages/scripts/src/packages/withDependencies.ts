import type { RepositoryPackage } from "../manifest.ts"

const scope = "@tapeline/"

export class UnknownPackage extends Error {
  constructor(name: string, packages: ReadonlyArray<RepositoryPackage>) {
    super(`There is no package ${name}; there are ${packages.map(({ folderName }) => folderName).join(", ")}`)
  }
}

/**
 * Returns the named packages, by default all, and their dependencies within the repository, in the order of `packages`.
 */
export const withDependencies = (
  names: ReadonlyArray<string>,
  packages: ReadonlyArray<RepositoryPackage>
): ReadonlyArray<RepositoryPackage> => {
  const included = new Set<RepositoryPackage>()
  const add = (name: string): void => {
    const requestedPackage = packages.find(({ folderName }) => folderName === name.replace(scope, ""))
    if (requestedPackage === undefined) throw new UnknownPackage(name, packages)
    if (included.has(requestedPackage)) return
    included.add(requestedPackage)
    Object.keys(requestedPackage.manifest.dependencies ?? {}).filter((dependency) => dependency.startsWith(scope))
      .forEach(add)
  }
  names.forEach(add)
  return names.length === 0 ? packages : packages.filter((requestedPackage) => included.has(requestedPackage))
}
