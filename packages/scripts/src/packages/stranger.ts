import { spawnSync } from "node:child_process"
import { globSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { versionOf } from "../manifest.ts"
import { run } from "./pack.ts"

export const quiet = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"]

export const emptyProject = (folder: string): string => {
  mkdirSync(folder)
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "stranger", private: true, type: "module" }))
  return folder
}

const peers = ["effect", "vitest", "@effect/vitest", "@effect/platform-node", "@types/node"]

/** Installs every package in an empty project as a user would. Checks that there is one copy of effect. */
export const installed = (elsewhere: string, tarballs: ReadonlyArray<string>): string => {
  const project = emptyProject(join(elsewhere, "project"))
  run("npm", ["install", ...quiet, ...peers.map((name) => `${name}@${versionOf(name)}`), ...tarballs], project)
  const copies = globSync("node_modules/**/effect/package.json", { cwd: project })
  if (copies.length !== 1) throw new Error(`The project has ${copies.length} copies of effect: ${copies.join(", ")}`)
  return project
}

/** Checks that npm rejects an application with an older effect and installs no second copy. */
export const oldEffectIsRefused = (elsewhere: string, tarballs: ReadonlyArray<string>): void => {
  const project = emptyProject(join(elsewhere, "old-effect"))
  const { status, stderr } = spawnSync(
    "npm",
    ["install", "--package-lock-only", ...quiet, "effect@4.0.6", ...tarballs],
    { cwd: project, encoding: "utf8" }
  )
  if (status === 0 || !stderr.includes("ERESOLVE") || !/peer effect@"[~^]?\d/.test(stderr)) {
    throw new Error(`effect 4.0.6 was not refused as a peer:\n${stderr}`)
  }
}
