import { makeFolder } from "@tapeline/postgres/folder"
import { chmodSync, lstatSync, readdirSync, realpathSync, rmSync, type Stats, statSync } from "node:fs"
import { constants, enableCompileCache, flushCompileCache, getCompileCacheDir } from "node:module"
import { basename, dirname, join, resolve } from "node:path"

// What is kept is run as it is found: it must be nobody's but the one's who runs it. This module is loaded before all
// others, and loads none that are large.

/** The folder of compiled sources in a data folder. */
export const compileCacheFolder = (dataDir: string): string => resolve(dataDir, "compiled")

/** Where the compiled sources are kept, or why they are not. */
export type Compiled = { readonly folder: string } | { readonly reason: string; readonly unsafe: boolean }

const sharedWithOthers = 0o022
const sticky = 0o1000

/** Windows has no such owners; its lists of access are not looked at. */
const ownUser = process.getuid?.()

const isOurs = ({ uid }: Stats): boolean => ownUser === undefined || uid === ownUser

/** Where others may write, they may put another folder in the place of one; not so in one like /tmp. */
const isGuarded = (stats: Stats): boolean =>
  ownUser === undefined || (
    (isOurs(stats) || stats.uid === 0) && ((stats.mode & sharedWithOthers) === 0 || (stats.mode & sticky) !== 0)
  )

/** The folder on the way to `folder`, from the top, in whose place somebody else could put another. */
const unguarded = (folder: string): string | undefined => {
  for (let above = dirname(folder);; above = dirname(above)) {
    if (!isGuarded(statSync(above))) return above
    if (above === dirname(above)) return undefined
  }
}

/** What is wrong with a folder whose content is to be run; undefined when it is ours alone. */
export const compileCacheFault = (folder: string): string | undefined => {
  const stats = lstatSync(folder)
  if (!stats.isDirectory()) return `${folder} is no folder`
  if (!isOurs(stats)) return `${folder} belongs to somebody else`
  if (ownUser !== undefined && (stats.mode & sharedWithOthers) !== 0) return `others may write to ${folder}`
  const above = unguarded(realpathSync(folder))
  return above === undefined ? undefined : `others may write to ${above}`
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

/**
 * Keeps what Node compiles in the data folder, so that later starts need not compile it. Where that cannot be, or must
 * not be, sources are compiled at each start. With a PostgreSQL no data folder is made for it. What the environment
 * says to Node of such a folder goes before.
 */
export const keepCompiled = (environment: Readonly<Record<string, string | undefined>>): Compiled => {
  const { DATABASE_URL, DATABASE_URL_FILE, NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE, TAPELINE_DATA_DIR } =
    environment
  if (NODE_COMPILE_CACHE || NODE_DISABLE_COMPILE_CACHE) return { reason: "the environment says so", unsafe: false }
  const dataDir = TAPELINE_DATA_DIR || "./data"
  const folder = compileCacheFolder(dataDir)
  try {
    if (!isThere(folder)) {
      if ((DATABASE_URL || DATABASE_URL_FILE) && !isThere(dataDir)) {
        return { reason: `${dataDir} is not there`, unsafe: false }
      }
      makeFolder(folder)
      chmodSync(folder, 0o700)
    }
    const fault = compileCacheFault(folder)
    if (fault !== undefined) return { reason: fault, unsafe: true }
    const { message, status } = enableCompileCache(folder)
    return status === constants.compileCacheStatus.ENABLED
      ? { folder }
      : { reason: message ?? "Node does not keep them", unsafe: false }
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error), unsafe: false }
  }
}

/**
 * Writes the compile cache at the start. A killed process would not write it, and a stopping process would need
 * seconds. In the folder of this service it then removes the files of other versions of Node.
 */
export const saveCompiled = (compiled: Compiled): void => {
  try {
    flushCompileCache()
    const own = getCompileCacheDir()
    if (own === undefined || !("folder" in compiled)) return
    const { folder } = compiled
    for (const name of readdirSync(folder)) {
      if (name !== basename(own)) rmSync(join(folder, name), { recursive: true, force: true })
    }
  } catch {
    // A disk that is full, or a folder that is gone: the next start compiles again.
  }
}
