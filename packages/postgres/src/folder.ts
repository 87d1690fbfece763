import { mkdirSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"

const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined

/**
 * Makes a folder and whatever lacks above it, step by step: Node's own recursion never ends where the system lets
 * nothing be made and says that the parent is not there, as below /proc.
 */
export const makeFolder = (path: string): void => {
  const missing: Array<string> = []
  for (let folder = resolve(path); !isThere(folder); folder = dirname(folder)) missing.unshift(folder)
  for (const folder of missing) {
    try {
      mkdirSync(folder)
    } catch (cause) {
      // Another process may have made it meanwhile.
      if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause
    }
  }
}
