import { execFile } from "node:child_process"
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { gzipSync } from "node:zlib"
import { readManifest, root } from "../manifest.ts"
import { compareVersions, isVersion } from "../release/version.ts"
import { siteDir } from "./siteConfig.ts"

const run = promisify(execFile)

/** The path at which the server serves the site. */
const servedPath = "/docs/guide/"

/** Installs the dependencies of the site, unless they are installed as its lock file says. */
const installGenerator = async (): Promise<void> => {
  const lockFile = readFileSync(join(siteDir, "package-lock.json"), "utf8")
  const installedLockFile = join(siteDir, "node_modules/.installed-lock.json")
  if (existsSync(installedLockFile) && readFileSync(installedLockFile, "utf8") === lockFile) return
  await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: siteDir })
  writeFileSync(installedLockFile, lockFile)
}

/** Writes a gzip copy of each text file, so that the server compresses nothing. */
const compressTexts = (folder: string): void => {
  for (const path of globSync("**/*.{css,html,js,json,svg}", { cwd: folder })) {
    const bytes = readFileSync(join(folder, path))
    if (bytes.length >= 1024) writeFileSync(join(folder, `${path}.gz`), gzipSync(bytes, { level: 9 }))
  }
}

interface SiteOptions {
  readonly folder?: string | undefined
  /** The path of the site on its server, with a slash at both ends. */
  readonly base?: string | undefined
  /** Whether the site has a list of other versions next to its folder. */
  readonly isPublished?: boolean | undefined
}

/** Builds the documentation site, and returns its folder. */
export const buildSite = async (
  { base = servedPath, folder = join(siteDir, "dist"), isPublished = false }: SiteOptions = {}
): Promise<string> => {
  await installGenerator()
  // A failed build keeps the folder, and a running server serves it until the new one is complete.
  const newFolder = `${folder}.new`
  rmSync(newFolder, { recursive: true, force: true })
  const program = join(siteDir, "node_modules/vitepress/bin/vitepress.js")
  await run(process.execPath, [program, "build", siteDir, "--base", base, "--outDir", newFolder], {
    // The generator would otherwise read settings of a test run, such as NODE_ENV.
    env: { PATH: process.env["PATH"], TAPELINE_DOCS_PUBLISHED: isPublished ? "1" : "0" }
  })
  compressTexts(newFolder)
  rmSync(folder, { recursive: true, force: true })
  renameSync(newFolder, folder)
  return folder
}

/**
 * Builds the site of the current version into a folder of published versions. Updates the list of versions, newest
 * first, and the page that opens the newest version that is no pre-release.
 */
export const publishSite = async (publishedDir: string, base = servedPath): Promise<string> => {
  const { version } = readManifest(join(root, "package.json"))
  const folder = resolve(publishedDir, version)
  await buildSite({ folder, base: `${base}${version}/`, isPublished: true })
  const versions = globSync("*/hashmap.json", { cwd: publishedDir }).map((path) => path.replace(/[\\/].*/u, ""))
    .filter(isVersion).sort((a, b) => compareVersions(b, a))
  const newest = versions.find((other) => !other.includes("-")) ?? version
  writeFileSync(join(publishedDir, "versions.json"), `${JSON.stringify(versions)}\n`)
  writeFileSync(
    join(publishedDir, "index.html"),
    `<!doctype html>\n<title>Tapeline</title>\n<link rel="icon" href="data:," />\n<meta http-equiv="refresh" content="0; url=${base}${newest}/" />\n`
  )
  return folder
}
