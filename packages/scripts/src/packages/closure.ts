import type { Package } from "../manifest.ts"

const scope = "@tapeline/"

/** No published package has this name. */
export class UnknownPackage extends Error {
  constructor(name: string, packages: ReadonlyArray<Package>) {
    super(`There is no package ${name}; there are ${packages.map(({ short }) => short).join(", ")}`)
  }
}

/**
 * The packages of these names, with or without `@tapeline/`, and all packages of this repository that they depend on,
 * in the order of `packages`. Without names, returns all packages.
 */
export const closureOf = (
  names: ReadonlyArray<string>,
  packages: ReadonlyArray<Package>
): ReadonlyArray<Package> => {
  const found = new Set<Package>()
  const add = (name: string): void => {
    const one = packages.find(({ short }) => short === name.replace(scope, ""))
    if (one === undefined) throw new UnknownPackage(name, packages)
    if (found.has(one)) return
    found.add(one)
    Object.keys(one.manifest.dependencies ?? {}).filter((dependency) => dependency.startsWith(scope)).forEach(add)
  }
  names.forEach(add)
  return names.length === 0 ? packages : packages.filter((one) => found.has(one))
}
