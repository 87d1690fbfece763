import { mkdirSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"

const exists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined

/** Creates a folder and all missing parents. Node's recursive `mkdir` may never return for a path below `/proc`. */
export const makeFolder = (path: string): void => {
  const missing: Array<string> = []
  for (let folder = resolve(path); !exists(folder); folder = dirname(folder)) missing.unshift(folder)
  for (const folder of missing) {
    try {
      mkdirSync(folder)
    } catch (cause) {
      // Another process may have created the folder meanwhile.
      if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause
    }
  }
}
