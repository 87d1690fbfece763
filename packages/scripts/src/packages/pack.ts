import { execFileSync, spawnSync } from "node:child_process"
import { join } from "node:path"
import { outputDirOf } from "../build.ts"
import type { RepositoryPackage } from "../manifest.ts"

export const runCommand = (command: string, args: ReadonlyArray<string>, cwd: string): string =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })

export const packTarballs = (packages: ReadonlyArray<RepositoryPackage>, destination: string): ReadonlyArray<string> =>
  packages.map(({ folderName }) => {
    const name = runCommand(
      "npm",
      ["pack", outputDirOf(folderName), "--silent", "--pack-destination", destination],
      destination
    ).trim()
    return join(destination, name)
  })

/** Checks that packing the sources of a package fails with a hint, because the sources run only in the repository. */
export const checkSourcesCannotBePacked = (packages: ReadonlyArray<RepositoryPackage>): void => {
  for (const { directory, manifest } of packages) {
    const { status, stderr } = spawnSync("npm", ["pack", "--dry-run"], { cwd: directory, encoding: "utf8" })
    if (status === 0 || !stderr.includes("npm run pack")) {
      throw new Error(`npm pack of the sources of ${manifest.name} did not fail with a hint:\n${stderr}`)
    }
  }
}
