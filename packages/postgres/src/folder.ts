import { mkdirSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"

const exists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined

/**
 * Makes a folder and its missing parents, one by one. Node's own recursion never ends if nothing can be made and the
 * system reports that the parent is missing, as below /proc.
 */
export const makeFolder = (path: string): void => {
  const missing: Array<string> = []
  for (let folder = resolve(path); !exists(folder); folder = dirname(folder)) missing.unshift(folder)
  for (const folder of missing) {
    try {
      mkdirSync(folder)
    } catch (cause) {
      // Another process may have made it meanwhile.
      if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause
    }
  }
}
