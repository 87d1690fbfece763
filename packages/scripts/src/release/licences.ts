import type { RuntimePackage } from "./runtimePackages.ts"

/**
 * The licences, as SPDX identifiers, of which a package may use each. All permit use in a commercial service. MPL-2.0
 * applies to changed files of the package only, and OFL-1.1 to fonts.
 */
const permittedLicences = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC0-1.0",
  "ISC",
  "MIT",
  "MPL-2.0",
  "OFL-1.1",
  "Unlicense",
  "Zlib"
])

/** Returns whether a licence expression of SPDX permits the use: one licence, or licences with `OR` or with `AND`. */
export const isPermittedLicence = (expression: string | undefined): boolean => {
  if (expression === undefined) return false
  const text = expression.replace(/^\((.+)\)$/u, "$1")
  const isPermitted = (licence: string) => permittedLicences.has(licence)
  return text.includes(" OR ") ? text.split(" OR ").some(isPermitted) : text.split(" AND ").every(isPermitted)
}

/** Returns a line for each package whose licence is not permitted. */
export const findForbiddenLicences = (packages: Iterable<RuntimePackage>): ReadonlyArray<string> =>
  [...packages].filter(({ license, name }) => !name.startsWith("@tapeline/") && !isPermittedLicence(license))
    .map(({ license, name, version }) => `${name}@${version}: ${license ?? "no licence"}`)
