import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A folder that the soak may fill to its last byte, where the system lets it have one. */
export interface Disk {
  readonly path: string
  /** Takes all the room that is left; null where the folder is not a disk of its own. */
  readonly fill: (() => void) | null
  readonly free: () => void
  readonly remove: () => void
}

/** A small disk in memory where this user may mount one, else a plain folder. */
export const makeDisk = (megabytes: number): Disk => {
  const path = mkdtempSync(join(tmpdir(), "tapeline-soak-"))
  const mounted =
    spawnSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0755`, "tmpfs", path], { stdio: "ignore" })
      .status === 0
  const ballast = join(path, "ballast")
  const free = () => rmSync(ballast, { force: true })
  return {
    path,
    fill: mounted
      ? () => {
        const { bavail, bsize } = statfsSync(path)
        try {
          writeFileSync(ballast, Buffer.alloc(bavail * bsize))
        } catch (cause) {
          // Whoever wrote meanwhile took the rest: the disk is full either way.
          if ((cause as NodeJS.ErrnoException).code !== "ENOSPC") throw cause
        }
      }
      : null,
    free,
    remove: () => {
      if (mounted) spawnSync("umount", ["-l", path], { stdio: "ignore" })
      rmSync(path, { recursive: true, force: true })
    }
  }
}
