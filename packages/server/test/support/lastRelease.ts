import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type BundledProgram, bundleProgram } from "../../../scripts/src/programInOne.ts"

const root = fileURLToPath(new URL("../../../../", import.meta.url))

/** Stands for the last release while there is no tag of a release. */
const commitBeforeFirstRelease = "92bad73bfe4aa57b11440de789740acb685582c5"

const git = (...args: ReadonlyArray<string>): string =>
  execFileSync("git", ["-C", root, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim()

const hasCommit = (name: string): boolean => {
  try {
    git("cat-file", "-e", `${name}^{commit}`)
    return true
  } catch {
    return false
  }
}

/** Returns the newest tag of a release below HEAD, or the pinned commit. Returns null if a shallow clone lacks both. */
const findLastRelease = (): string | null => {
  // A source archive has no repository.
  if (!hasCommit("HEAD")) return null
  const head = git("rev-parse", "HEAD")
  const tag = git("tag", "--list", "v*", "--sort=-version:refname", "--merged", "HEAD").split("\n")
    .find((name) => name !== "" && git("rev-parse", `${name}^{commit}`) !== head)
  if (tag !== undefined) return tag
  return hasCommit(commitBeforeFirstRelease) ? commitBeforeFirstRelease : null
}

export const lastRelease: string | null = findLastRelease()

/** Returns the dependencies of a lock file as text, without the packages of the repository. */
const readDependencies = (folder: string): string => {
  // The cast is safe, because npm writes lock files in this form.
  const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, { readonly link?: boolean }>>
  }
  return JSON.stringify(
    Object.entries(packages).filter(([path, { link }]) => path.includes("node_modules/") && link !== true)
  )
}

/** Links the installed packages of other publishers, and the release's own packages, into the release's folder. */
const linkModules = (folder: string): void => {
  const modules = join(folder, "node_modules")
  mkdirSync(join(modules, "@tapeline"), { recursive: true })
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (name !== "@tapeline" && !name.startsWith(".")) {
      symlinkSync(join(root, "node_modules", name), join(modules, name))
    }
  }
  for (const name of readdirSync(join(folder, "packages"))) {
    symlinkSync(join(folder, "packages", name), join(modules, "@tapeline", name))
    const own = join(root, "packages", name, "node_modules")
    if (existsSync(own)) symlinkSync(own, join(folder, "packages", name, "node_modules"))
  }
}

/**
 * Writes the sources of a release into an empty folder, and returns its server program. If the release has the
 * dependencies of this version, the program uses the installed ones. Otherwise `npm ci` installs them.
 */
export const installRelease = async (release: string, folder: string): Promise<BundledProgram> => {
  const archive = execFileSync("git", ["-C", root, "archive", release], { maxBuffer: 2 ** 30 })
  execFileSync("tar", ["-x", "-C", folder], { input: archive })
  const program = join(folder, "packages/server/src/main.ts")
  if (readDependencies(folder) === readDependencies(root)) {
    linkModules(folder)
    return bundleProgram(program)
  }
  execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] })
  return { path: program, remove: () => undefined }
}
