import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface TestDisk {
  readonly path: string
  /** Fills the free space of the disk. `fill` is null if the folder is not on a separate disk. */
  readonly fill: (() => void) | null
  readonly freeSpace: () => void
  readonly remove: () => void
}

/** Mounts a small disk in memory if the user may mount disks, and creates a plain folder if not. */
export const createDisk = (megabytes: number): TestDisk => {
  const path = mkdtempSync(join(tmpdir(), "tapeline-soak-"))
  const isMounted =
    spawnSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0755`, "tmpfs", path], { stdio: "ignore" })
      .status === 0
  const fillerFile = join(path, "ballast")
  const freeSpace = () => rmSync(fillerFile, { force: true })
  return {
    path,
    fill: isMounted
      ? () => {
        const { bavail, bsize } = statfsSync(path)
        try {
          writeFileSync(fillerFile, Buffer.alloc(bavail * bsize))
        } catch (cause) {
          // If another program took the remaining space first, the disk is full as intended.
          if ((cause as NodeJS.ErrnoException).code !== "ENOSPC") throw cause
        }
      }
      : null,
    freeSpace,
    remove: () => {
      if (isMounted) spawnSync("umount", ["-l", path], { stdio: "ignore" })
      rmSync(path, { recursive: true, force: true })
    }
  }
}
