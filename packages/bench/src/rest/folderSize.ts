import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"

/** Returns the disk space of a folder's files in MB, although files may disappear during the measurement. */
export const folderSizeMb = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).reduce((sum, name) => {
    const stats = statSync(join(folder, name), { throwIfNoEntry: false })
    return sum + (stats?.isFile() === true ? stats.blocks * 512 : 0)
  }, 0) / 1_000_000
