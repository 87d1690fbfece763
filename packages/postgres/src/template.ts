import { createHash } from "node:crypto"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const here = dirname(fileURLToPath(import.meta.url))

/** Where templates are: beside the sources, each under the name of what it was made of. */
const templates = join(here, "..", "template")

/**
 * Tells what a template must be made of: this PGlite, these migrations, and the way in which databases are begun.
 * Undefined where the sources are not to be found, as in a bundle.
 */
const templateName = (): string | undefined => {
  try {
    const hash = createHash("sha256")
    const pglite = createRequire(import.meta.url).resolve("@electric-sql/pglite")
    hash.update(readFileSync(join(dirname(pglite), "..", "package.json")))
    const migrations = join(here, "migrations")
    const sources = [
      join(here, "pglite.ts"),
      join(here, "template.ts"),
      ...readdirSync(migrations).toSorted().map((name) => join(migrations, name))
    ]
    for (const source of sources) hash.update(readFileSync(source)).update("\0")
    return hash.digest("hex").slice(0, 32)
  } catch {
    return undefined
  }
}

/** The folder of the template, there or not; undefined where none can be. */
export const templateFolder = (): string | undefined => {
  const name = templateName()
  return name === undefined ? undefined : join(templates, name)
}

/** Removes templates of other makings. */
export const removeOldTemplates = (): void => {
  const own = templateName()
  if (!existsSync(templates)) return
  for (const name of readdirSync(templates)) {
    if (name !== own) rmSync(join(templates, name), { recursive: true, force: true })
  }
}

/** What a template consists of, in it. */
const listName = "template.json"

/** A path below the template, and the size of the file there; null for a folder, which stands before what is in it. */
type Entry = readonly [path: string, bytes: number | null]

/**
 * Writes down what a template consists of, so that a copy can be told from a part of it: what carries an installation
 * elsewhere may leave out folders that are empty, or the rest of a file. Whoever installs need not be who starts, so
 * everybody may read it, and nobody else write.
 */
export const finishTemplate = (template: string): void => {
  const list = readdirSync(template, { recursive: true, encoding: "utf8" }).toSorted().map((path): Entry => {
    const stats = statSync(join(template, path))
    chmodSync(join(template, path), stats.isDirectory() ? 0o755 : 0o644)
    return [path, stats.isDirectory() ? null : stats.size]
  })
  writeFileSync(join(template, listName), JSON.stringify(list), { mode: 0o644 })
  chmodSync(template, 0o755)
}

/** Copies into an empty folder, whatever may be done to the template's own files. */
const copyTemplate = (template: string, into: string): void => {
  // What `finishTemplate` wrote.
  const list = JSON.parse(readFileSync(join(template, listName), "utf8")) as ReadonlyArray<Entry>
  for (const [path, bytes] of list) {
    const copy = join(into, path)
    if (bytes === null) {
      mkdirSync(copy, { mode: 0o700 })
      continue
    }
    copyFileSync(join(template, path), copy)
    chmodSync(copy, 0o600)
    if (statSync(copy).size !== bytes) throw new Error(`${path} of the template is not whole`)
  }
}

/**
 * Begins a data folder, which is there and empty, with a copy of the template, whole or not at all. False when there is
 * no template, or it cannot be: then the database must be begun as any other.
 */
export const beginWithTemplate = (dataDir: string, template: string | undefined = templateFolder()): boolean => {
  if (template === undefined || !existsSync(template) || readdirSync(dataDir).length > 0) return false
  const draft = `${dataDir}.draft`
  try {
    // Left by a process that was killed; who holds the lock of the folder is alone here.
    rmSync(draft, { recursive: true, force: true })
    mkdirSync(draft, { mode: 0o700 })
    copyTemplate(template, draft)
    rmdirSync(dataDir)
    renameSync(draft, dataDir)
    return true
  } catch {
    // A template of which something lacks, a disk that is full, or a folder that is a volume of its own, in whose place
    // none can be put.
    rmSync(draft, { recursive: true, force: true })
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    return false
  }
}
