import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type BundledProgram, bundleProgram } from "../../../scripts/src/programInOne.ts"

const root = fileURLToPath(new URL("../../../../", import.meta.url))

const git = (...args: ReadonlyArray<string>): string =>
  execFileSync("git", ["-C", root, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim()

/**
 * Returns the newest commit before HEAD that made a release, by its subject, because a clone may lack tags. Returns
 * null in a source archive without a repository, and in a shallow clone without this commit.
 */
const findLastRelease = (): string | null => {
  try {
    const subject = "^Release [0-9]+\\.[0-9]+\\.[0-9]+$"
    return git("log", "-1", "--format=%H", "--extended-regexp", `--grep=${subject}`, "HEAD^") || null
  } catch {
    return null
  }
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
