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

/** The folder of the database templates, next to the sources; the name of each template is a hash of its inputs. */
const templatesFolder = join(sourceFolder, "..", "template")

/**
 * Returns the hash of the PGlite version, the migrations, and the code that creates databases. Returns undefined if the
 * sources cannot be found, as in a bundle.
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

/**
 * Returns the folder of the database template, even if the folder does not exist yet. Returns undefined if the process
 * cannot use templates.
 */
export const findTemplateFolder = (): string | undefined => {
  const name = hashTemplateInputs()
  return name === undefined ? undefined : join(templatesFolder, name)
}

export const removeOldTemplates = (): void => {
  const currentName = hashTemplateInputs()
  if (!existsSync(templatesFolder)) return
  for (const name of readdirSync(templatesFolder)) {
    if (name !== currentName) rmSync(join(templatesFolder, name), { recursive: true, force: true })
  }
}

const manifestName = "template.json"

/** The path of a file or folder inside a template, and the size of the file in bytes, or null for a folder. */
type ManifestEntry = readonly [path: string, bytes: number | null]

/**
 * Writes a list of the template's files, to detect incomplete copies. Copying tools may omit empty folders or truncate
 * files. The template becomes readable for all users and writable only for the owner, because different users may
 * install and start the service.
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

/**
 * Copies a template into an empty folder. The copies have fixed access modes, whatever the modes of the template's
 * files are.
 */
const copyTemplate = (template: string, targetFolder: string): void => {
  // The cast is safe, because `finishTemplate` wrote the list.
  const manifest = JSON.parse(readFileSync(join(template, manifestName), "utf8")) as ReadonlyArray<ManifestEntry>
  for (const [path, bytes] of manifest) {
    const copy = join(targetFolder, path)
    if (bytes === null) {
      mkdirSync(copy, { mode: 0o700 })
      continue
    }
    copyFileSync(join(template, path), copy)
    chmodSync(copy, 0o600)
    if (statSync(copy).size !== bytes) throw new Error(`${path} of the template is incomplete`)
  }
}

/**
 * Fills an empty data folder with a copy of the template, completely or not at all. Returns false if no usable template
 * exists, so that the database must be created as usual.
 */
export const startFromTemplate = (dataDir: string, template: string | undefined = findTemplateFolder()): boolean => {
  if (template === undefined || !existsSync(template) || readdirSync(dataDir).length > 0) return false
  const draft = `${dataDir}.draft`
  try {
    // Removes the draft of a process that was killed; only the holder of the folder's lock runs this code.
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
