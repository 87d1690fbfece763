import { execFileSync } from "node:child_process"
import { globSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { readManifest, root } from "../manifest.ts"

/** A version, or a pre-release such as `1.2.3-rc.1`. npm rejects numbers with leading zeros. */
const versionPattern = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([a-z]+\.(?:0|[1-9]\d*)))?$/u

export const isVersion = (text: string): boolean => versionPattern.test(text)

/** Returns the sign of the difference of two versions: -1 if `a` is earlier than `b`. */
export const compareVersions = (a: string, b: string): number => {
  const [partsOfA, partsOfB] = [a, b].map((version) => versionPattern.exec(version)?.slice(1))
  if (partsOfA === undefined || partsOfB === undefined) throw new Error(`${a} or ${b} is no version such as 1.2.3`)
  for (let index = 0; index < 3; index++) {
    const difference = Number(partsOfA[index]) - Number(partsOfB[index])
    if (difference !== 0) return Math.sign(difference)
  }
  const [preReleaseOfA, preReleaseOfB] = [partsOfA[3], partsOfB[3]]
  if (preReleaseOfA === preReleaseOfB) return 0
  // A pre-release is earlier than its release.
  if (preReleaseOfA === undefined || preReleaseOfB === undefined) return preReleaseOfA === undefined ? 1 : -1
  return Math.sign(preReleaseOfA.localeCompare(preReleaseOfB, "en", { numeric: true }))
}

/** The manifests of the repository, and their copies in the lock file, contain the version in JSON. */
const jsonPaths = (): ReadonlyArray<string> => [
  "package.json",
  "package-lock.json",
  ...globSync("{packages,examples}/*/package.json", { cwd: root }).sort()
]

/** Other files with the version, and the text before the version. */
const textPaths: Readonly<Record<string, string>> = {
  "packages/server/src/version.ts": "export const version = \"",
  "packages/mcp/src/makeServer.ts": "export const version = \"",
  "deploy/kubernetes/kustomization.yaml": "newTag: "
}

interface VersionedEntry {
  readonly name?: string
  version?: string
  readonly [dependencies: string]: unknown
}

/** Sets the version of a package, and of the packages of the repository on which it depends. */
const setEntryVersion = (entry: VersionedEntry, version: string): void => {
  if (entry.version !== undefined) entry.version = version
  for (const kind of ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"]) {
    // The manifests and the lock file have an object of texts, or nothing.
    const dependencies = entry[kind] as Record<string, string> | undefined
    for (const name of Object.keys(dependencies ?? {})) {
      if (name.startsWith("@tapeline/")) dependencies![name] = version
    }
  }
}

const withJsonVersion = (path: string, text: string, version: string): string => {
  // The file is a manifest or the lock file of this repository.
  const json = JSON.parse(text) as VersionedEntry & { readonly packages?: Readonly<Record<string, VersionedEntry>> }
  setEntryVersion(json, version)
  if (path === "package-lock.json") {
    for (const [folder, entry] of Object.entries(json.packages ?? {})) {
      if (!folder.includes("node_modules/")) setEntryVersion(entry, version)
    }
  }
  return `${JSON.stringify(json, null, 2)}\n`
}

/** Returns the files that contain the version of the packages, with another version. */
export const filesWithVersion = (version: string): ReadonlyMap<string, string> => {
  const read = (path: string) => readFileSync(join(root, path), "utf8")
  const files = new Map(jsonPaths().map((path) => [path, withJsonVersion(path, read(path), version)]))
  for (const [path, before] of Object.entries(textPaths)) {
    const [head, rest, ...others] = read(path).split(before)
    if (rest === undefined || others.length > 0) throw new Error(`${path} must contain ${before} once`)
    files.set(path, `${head}${before}${rest.replace(/^[0-9a-z.-]+/u, version)}`)
  }
  return files
}

const unreleasedHeading = "## Unreleased"

/** Turns the section of unreleased changes into the section of a version, below an empty section. */
export const releaseChangelog = (changelog: string, version: string, date: string): string => {
  if (changelog.includes(`\n## ${version}\n`) || changelog.includes(`\n## ${version} `)) {
    throw new Error(`CHANGELOG.md has a section ${version} already`)
  }
  const [head, rest, ...others] = changelog.split(`\n${unreleasedHeading}\n`)
  if (head === undefined || rest === undefined || others.length > 0) {
    throw new Error(`CHANGELOG.md must have one section "${unreleasedHeading}"`)
  }
  if (rest.split("\n## ")[0]!.trim() === "") {
    throw new Error(`The section "${unreleasedHeading}" of CHANGELOG.md is empty`)
  }
  return `${head}\n${unreleasedHeading}\n\n## ${version} (${date})\n${rest}`
}

const git = (...args: ReadonlyArray<string>): string =>
  execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim()

/** Writes a new version into the manifests and the changelog. Checks everything before the first change. */
export const prepareRelease = (version: string, date: string): void => {
  if (!isVersion(version)) throw new Error(`${version} is no version such as 1.2.3 or 1.2.3-rc.1`)
  const { version: current } = readManifest(join(root, "package.json"))
  if (compareVersions(version, current) < 0) {
    throw new Error(`${version} is earlier than the current version ${current}`)
  }
  if (git("tag", "--list", `v${version}`) !== "") throw new Error(`The tag v${version} exists`)
  if (git("status", "--porcelain") !== "") throw new Error("The working tree has changes that are not committed")
  const changelogFile = join(root, "CHANGELOG.md")
  const changelog = releaseChangelog(readFileSync(changelogFile, "utf8"), version, date)
  for (const [path, text] of filesWithVersion(version)) writeFileSync(join(root, path), text)
  writeFileSync(changelogFile, changelog)
}
