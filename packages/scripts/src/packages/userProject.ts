import { spawnSync } from "node:child_process"
import { globSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { versionOf } from "../manifest.ts"
import { runCommand } from "./pack.ts"

export const quietNpmFlags = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"]

export const createEmptyProject = (folder: string): string => {
  mkdirSync(folder)
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "stranger", private: true, type: "module" }))
  return folder
}

const peerPackages = ["effect", "vitest", "@effect/vitest", "@effect/platform-node", "@types/node"]

/** Installs every package in an empty project, and checks that the project contains only one copy of effect. */
export const installAllPackages = (tempDir: string, tarballs: ReadonlyArray<string>): string => {
  const project = createEmptyProject(join(tempDir, "project"))
  runCommand("npm", [
    "install",
    ...quietNpmFlags,
    ...peerPackages.map((name) => `${name}@${versionOf(name)}`),
    ...tarballs
  ], project)
  const effectCopies = globSync("node_modules/**/effect/package.json", { cwd: project })
  if (effectCopies.length !== 1) {
    throw new Error(`The project has ${effectCopies.length} copies of effect: ${effectCopies.join(", ")}`)
  }
  return project
}

/** Checks that npm rejects an application with an older version of effect instead of installing a second copy. */
export const checkOldEffectRejected = (tempDir: string, tarballs: ReadonlyArray<string>): void => {
  const project = createEmptyProject(join(tempDir, "old-effect"))
  const { status, stderr } = spawnSync(
    "npm",
    ["install", "--package-lock-only", ...quietNpmFlags, "effect@4.0.6", ...tarballs],
    { cwd: project, encoding: "utf8" }
  )
  if (status === 0 || !stderr.includes("ERESOLVE") || !/peer effect@"[~^]?\d/.test(stderr)) {
    throw new Error(`npm did not reject effect 4.0.6 as a peer dependency:\n${stderr}`)
  }
}
