import { execFileSync, spawnSync } from "node:child_process"
import { join } from "node:path"
import { outputOf } from "../build.ts"
import type { Package } from "../manifest.ts"

export const run = (command: string, args: ReadonlyArray<string>, cwd: string): string =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })

/** Packs the built packages and returns the tarballs. */
export const pack = (packages: ReadonlyArray<Package>, into: string): ReadonlyArray<string> =>
  packages.map(({ short }) => {
    const name = run("npm", ["pack", outputOf(short), "--silent", "--pack-destination", into], into).trim()
    return join(into, name)
  })

/** Checks that packing the sources fails with a hint. Their manifests name files that run only in this repository. */
export const refusesSources = (packages: ReadonlyArray<Package>): void => {
  for (const { home, manifest } of packages) {
    const { status, stderr } = spawnSync("npm", ["pack", "--dry-run"], { cwd: home, encoding: "utf8" })
    if (status === 0 || !stderr.includes("npm run pack")) {
      throw new Error(`npm pack of the sources of ${manifest.name} was not refused, or not clearly:\n${stderr}`)
    }
  }
}
