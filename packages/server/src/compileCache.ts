import { makeFolder } from "@tapeline/postgres/folder"
import { chmodSync, lstatSync, readdirSync, realpathSync, rmSync, type Stats, statSync } from "node:fs"
import { constants, enableCompileCache, flushCompileCache, getCompileCacheDir } from "node:module"
import { basename, dirname, join, resolve } from "node:path"

// Node runs cached code without checks, so only the current user may be able to write to the compile cache. The
// programs load this module before all others, so the module imports no large module.

export const compileCacheFolder = (dataDir: string): string => resolve(dataDir, "compiled")

/** The folder of the compile cache, or the reason why Node does not cache compiled sources. */
export type CompileCacheResult = { readonly folder: string } | { readonly reason: string; readonly unsafe: boolean }

const writableByOthers = 0o022
const stickyBit = 0o1000

/** The id of the current user; undefined on Windows, whose access control lists are not checked. */
const ownUser = process.getuid?.()

const isOwn = ({ uid }: Stats): boolean => ownUser === undefined || uid === ownUser

/**
 * Returns whether a folder protects its entries from replacement by other users. In a folder with the sticky bit, such
 * as `/tmp`, other users cannot replace an entry.
 */
const isProtected = (stats: Stats): boolean =>
  ownUser === undefined || (
    (isOwn(stats) || stats.uid === 0) && ((stats.mode & writableByOthers) === 0 || (stats.mode & stickyBit) !== 0)
  )

/**
 * Returns the nearest parent folder in which another user could replace an entry. Returns undefined if all parent
 * folders are protected.
 */
const findUnprotectedParent = (folder: string): string | undefined => {
  for (let parent = dirname(folder);; parent = dirname(parent)) {
    if (!isProtected(statSync(parent))) return parent
    if (parent === dirname(parent)) return undefined
  }
}

/**
 * Returns why Node must not run the content of a folder, or undefined if only the current user can change the content.
 */
export const findCompileCacheProblem = (folder: string): string | undefined => {
  const stats = lstatSync(folder)
  if (!stats.isDirectory()) return `${folder} is not a folder`
  if (!isOwn(stats)) return `${folder} belongs to another user`
  if (ownUser !== undefined && (stats.mode & writableByOthers) !== 0) return `other users may write to ${folder}`
  const parent = findUnprotectedParent(realpathSync(folder))
  return parent === undefined ? undefined : `other users may write to ${parent}`
}

const exists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

/**
 * Makes Node store compiled code in the data folder, so that later starts are faster. Does nothing if Node's own
 * environment variables set a compile cache, or if other users may write to the folder. A server with PostgreSQL does
 * not create a data folder for the compile cache.
 */
export const enableCache = (environment: Readonly<Record<string, string | undefined>>): CompileCacheResult => {
  const { DATABASE_URL, DATABASE_URL_FILE, NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE, TAPELINE_DATA_DIR } =
    environment
  if (NODE_COMPILE_CACHE || NODE_DISABLE_COMPILE_CACHE) return { reason: "the environment disables it", unsafe: false }
  const dataDir = TAPELINE_DATA_DIR || "./data"
  const folder = compileCacheFolder(dataDir)
  try {
    if (!exists(folder)) {
      if ((DATABASE_URL || DATABASE_URL_FILE) && !exists(dataDir)) {
        return { reason: `${dataDir} does not exist`, unsafe: false }
      }
      makeFolder(folder)
      chmodSync(folder, 0o700)
    }
    const problem = findCompileCacheProblem(folder)
    if (problem !== undefined) return { reason: problem, unsafe: true }
    const { message, status } = enableCompileCache(folder)
    return status === constants.compileCacheStatus.ENABLED
      ? { folder }
      : { reason: message ?? "Node did not enable the cache", unsafe: false }
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error), unsafe: false }
  }
}

/**
 * Writes the compile cache to disk, and removes the cached files of other versions of Node. The server writes the cache
 * at its start, because a killed process writes nothing and a stopping process would need seconds.
 */
export const saveCache = (cache: CompileCacheResult): void => {
  try {
    flushCompileCache()
    const currentFolder = getCompileCacheDir()
    if (currentFolder === undefined || !("folder" in cache)) return
    const { folder } = cache
    for (const name of readdirSync(folder)) {
      if (name !== basename(currentFolder)) rmSync(join(folder, name), { recursive: true, force: true })
    }
  } catch {
    // The disk is full, or the folder was removed. The next start compiles the sources again.
  }
}
