import { skipUnless } from "@tapeline/testing/programs"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const mount = (path: string, megabytes: number): boolean =>
  spawnSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", path], { stdio: "ignore" }).status === 0

const unmount = (path: string): void => {
  spawnSync("umount", ["-l", path], { stdio: "ignore" })
  rmSync(path, { recursive: true, force: true })
}

const makeFolder = (): string => mkdtempSync(join(tmpdir(), "tapeline-disk-"))

const canMount = (() => {
  const path = makeFolder()
  try {
    return mount(path, 1)
  } finally {
    unmount(path)
  }
})()

export const needsSmallDisk = skipUnless("a user that may mount a file system (root)", canMount)

export const makeSmallDisk = (megabytes: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const path = makeFolder()
      mount(path, megabytes)
      return path
    }),
    (path) => Effect.sync(() => unmount(path))
  )
