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

const sourceFolder = dirname(fileURLToPath(import.meta.url))

/** The folder of the templates, next to the sources. The name of each template is a hash of its inputs. */
const templatesFolder = join(sourceFolder, "..", "template")

/**
 * Returns the hash of a template's inputs: this PGlite, these migrations, and the code that creates databases.
 * Undefined if the sources cannot be found, as in a bundle.
 */
const hashTemplateInputs = (): string | undefined => {
  try {
    const hash = createHash("sha256")
    const pglite = createRequire(import.meta.url).resolve("@electric-sql/pglite")
    hash.update(readFileSync(join(dirname(pglite), "..", "package.json")))
    const migrations = join(sourceFolder, "migrations")
    const sources = [
      join(sourceFolder, "pglite.ts"),
      join(sourceFolder, "template.ts"),
      ...readdirSync(migrations).toSorted().map((name) => join(migrations, name))
    ]
    for (const source of sources) hash.update(readFileSync(source)).update("\0")
    return hash.digest("hex").slice(0, 32)
  } catch {
    return undefined
  }
}

/** Returns the folder of the template, which may not exist; undefined if a template is impossible. */
export const findTemplateFolder = (): string | undefined => {
  const name = hashTemplateInputs()
  return name === undefined ? undefined : join(templatesFolder, name)
}

/** Removes the templates with other inputs. */
export const removeOldTemplates = (): void => {
  const currentName = hashTemplateInputs()
  if (!existsSync(templatesFolder)) return
  for (const name of readdirSync(templatesFolder)) {
    if (name !== currentName) rmSync(join(templatesFolder, name), { recursive: true, force: true })
  }
}

/** The file in a template that lists its contents. */
const manifestName = "template.json"

/** A path below the template, and the size of the file; null for a folder. A folder precedes its contents. */
type ManifestEntry = readonly [path: string, bytes: number | null]

/**
 * Writes the list of a template's contents, by which an incomplete copy is recognised. Tools that move an installation
 * may omit empty folders or truncate files. Makes the template readable for all users and writable only for its owner:
 * different users may install and start the service.
 */
export const finishTemplate = (template: string): void => {
  const manifest = readdirSync(template, { recursive: true, encoding: "utf8" }).toSorted().map(
    (path): ManifestEntry => {
      const stats = statSync(join(template, path))
      chmodSync(join(template, path), stats.isDirectory() ? 0o755 : 0o644)
      return [path, stats.isDirectory() ? null : stats.size]
    }
  )
  writeFileSync(join(template, manifestName), JSON.stringify(manifest), { mode: 0o644 })
  chmodSync(template, 0o755)
}

/** Copies the template into an empty folder. The copy does not depend on the access modes of the template's files. */
const copyTemplate = (template: string, targetFolder: string): void => {
  // `finishTemplate` wrote this list.
  const manifest = JSON.parse(readFileSync(join(template, manifestName), "utf8")) as ReadonlyArray<ManifestEntry>
  for (const [path, bytes] of manifest) {
    const copy = join(targetFolder, path)
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
 * Begins an existing, empty data folder with a copy of the template, complete or not at all. Returns false if there is
 * no usable template. The database must then be created as usual.
 */
export const startFromTemplate = (dataDir: string, template: string | undefined = findTemplateFolder()): boolean => {
  if (template === undefined || !existsSync(template) || readdirSync(dataDir).length > 0) return false
  const draft = `${dataDir}.draft`
  try {
    // A process that was killed left the draft. The holder of the folder's lock is the only process here.
    rmSync(draft, { recursive: true, force: true })
    mkdirSync(draft, { mode: 0o700 })
    copyTemplate(template, draft)
    rmdirSync(dataDir)
    renameSync(draft, dataDir)
    return true
  } catch {
    // The template is incomplete, the disk is full, or the folder is a separate volume, which cannot be replaced.
    rmSync(draft, { recursive: true, force: true })
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    return false
  }
}
