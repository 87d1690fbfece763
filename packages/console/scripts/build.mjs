// Builds the console pages into `dist/app`, unless `dist/app` was already built from the current sources. With
// `--or-warn`, a failed build is only a warning, because the service also runs without the console. A Node version that
// is too old for the sources runs the build with the Node of this repository.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import { writePages } from "./pages.mjs"

const home = dirname(dirname(fileURLToPath(import.meta.url)))
const app = join(home, "dist/app")
const stampFile = ".stamp"

const [major, minor] = process.versions.node.split(".").map(Number)
const isOld = major < 22 || (major === 22 && minor < 19)

const filesIn = (folder) =>
  fs.readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()

/** Returns the source files of the console pages: the pages, the client, and the build configuration. */
const sources = () =>
  ["browser", "../client/src", "vite.config.ts", "package.json", "scripts"].flatMap((path) => {
    const at = join(home, path)
    return fs.statSync(at).isDirectory() ? filesIn(at) : [at]
  })

const stampOf = () => {
  const hash = createHash("sha256")
  for (const file of sources()) {
    hash.update(file.slice(home.length)).update("\0").update(fs.readFileSync(file)).update("\0")
  }
  return hash.digest("hex")
}

const stampAt = (folder) => {
  const file = join(folder, stampFile)
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8") : undefined
}

/** Writes gzip and Brotli copies of each text file, so that the service compresses nothing. */
const compress = (folder) => {
  for (const file of filesIn(folder).filter((file) => /\.(html|js|css|svg|md)$/.test(file))) {
    const bytes = fs.readFileSync(file)
    if (bytes.length < 1024) continue
    fs.writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
    fs.writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }))
  }
}

/** Adds the licences of the fonts to the licences of the bundled scripts, which Vite collects. */
const addFontLicences = (folder) => {
  const { devDependencies } = JSON.parse(fs.readFileSync(join(home, "package.json"), "utf8"))
  for (const name of Object.keys(devDependencies).filter((name) => name.startsWith("@fontsource"))) {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`)
    const { license, version } = JSON.parse(fs.readFileSync(manifest, "utf8"))
    const text = fs.readFileSync(join(dirname(manifest), "LICENSE"), "utf8")
    fs.appendFileSync(join(folder, "licenses.md"), `\n## ${name} - ${version} (${license})\n\n${text}`)
  }
}

/** Replaces the folder `dist/app` with a newly built folder. Readers see the old or the new folder, never a mixture. */
const putInPlace = (built) => {
  const before = `${built}-before`
  if (fs.existsSync(app)) fs.renameSync(app, before)
  fs.renameSync(built, app)
  fs.rmSync(before, { recursive: true, force: true })
}

const build = async (stamp) => {
  const built = join(home, `dist/.app-${process.pid}`)
  fs.mkdirSync(dirname(built), { recursive: true })
  try {
    // Vite uses the development build of React if NODE_ENV has another value, for example in a test run.
    process.env.NODE_ENV = "production"
    const { build } = await import("vite")
    await build({
      configFile: join(home, "vite.config.ts"),
      logLevel: "error",
      build: { outDir: built, emptyOutDir: true }
    })
    await writePages(
      built,
      (options) => build({ configFile: join(home, "vite.config.ts"), logLevel: "error", build: options })
    )
    addFontLicences(built)
    compress(built)
    fs.writeFileSync(join(built, stampFile), stamp)
    putInPlace(built)
  } finally {
    fs.rmSync(built, { recursive: true, force: true })
  }
}

const byOwnNode = () => {
  const node = join(home, "../../node_modules/node/bin/node")
  if (!fs.existsSync(node)) throw new Error(`Node ${process.versions.node} is too old to build the console`)
  const { status } = spawnSync(node, [fileURLToPath(import.meta.url)], { stdio: "inherit" })
  if (status !== 0) throw new Error("the build with the package `node` failed, see above")
}

try {
  const stamp = stampOf()
  if (stampAt(app) !== stamp) {
    if (isOld) byOwnNode()
    else await build(stamp)
  }
} catch (error) {
  if (!process.argv.includes("--or-warn")) throw error
  // Another process may have built the console at the same time.
  console.warn(`The console could not be built. The service serves the previous build, if one exists: ${String(error)}`)
}
