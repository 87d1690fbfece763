import { createHash } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { extname, join, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"

/** A file of built pages, such as the console, that the service serves. */
export interface StaticFile {
  /** The path of a file relative to the folder of the pages, without a leading slash, such as `index.html`. */
  readonly path: string
  readonly type: string
  readonly etag: string
  /** Whether the name of a file changes with the bytes, so that browsers can cache the file forever. */
  readonly immutable: boolean
  readonly bytes: Uint8Array
  /** The gzip-compressed bytes of a file; undefined if the build wrote no compressed copy. */
  readonly gzip?: Uint8Array | undefined
  readonly brotli?: Uint8Array | undefined
}

/** The folder of the built console pages: in `dist` next to the sources, or inside the published package. */
const builtDir = fileURLToPath(new URL(import.meta.url.endsWith(".ts") ? "../dist/app/" : "./app/", import.meta.url))

const mediaTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".md": "text/markdown; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webp": "image/webp",
  ".woff2": "font/woff2"
}

/** Files whose names contain a hash: in `assets`, or in `assets` of one of several versions, such as `0.1.0/assets`. */
const bundlePattern = /^([^\\/]+[\\/])?assets[\\/]/

/** Hidden files, files in hidden folders, and compressed copies of other files. */
const unservedPattern = /(^|[\\/])\.|\.(gz|br)$/

const isUnexpected = (error: unknown): boolean =>
  !(error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR"))

const undefinedIfMissing = <A>(read: Promise<A>): Promise<A | undefined> =>
  read.catch((error: unknown) => {
    if (isUnexpected(error)) throw error
    return undefined
  })

const readStaticFile = async (directory: string, path: string, names: ReadonlySet<string>): Promise<StaticFile> => {
  const compressed = (extension: string) =>
    names.has(path + extension) ? readFile(join(directory, path + extension)) : undefined
  const [bytes, gzip, brotli] = await Promise.all([
    readFile(join(directory, path)),
    compressed(".gz"),
    compressed(".br")
  ])
  return {
    path: path.replaceAll(sep, "/"),
    type: mediaTypes[extname(path)] ?? "application/octet-stream",
    etag: createHash("sha256").update(bytes).digest("hex").slice(0, 32),
    immutable: bundlePattern.test(path),
    bytes,
    gzip,
    brotli
  }
}

/** Reads all files of built pages into memory. Returns undefined if a folder has no `index.html` or does not exist. */
export const readStaticFiles = async (directory: string): Promise<ReadonlyArray<StaticFile> | undefined> => {
  const entries = await undefinedIfMissing(readdir(directory, { recursive: true, withFileTypes: true }))
  const names = new Set(
    (entries ?? []).filter((entry) => entry.isFile()).map(({ name, parentPath }) =>
      relative(directory, join(parentPath, name))
    )
  )
  if (!names.has("index.html")) return undefined
  const servedFiles = [...names].filter((name) => !unservedPattern.test(name)).sort()
  return Promise.all(servedFiles.map((name) => readStaticFile(directory, name, names)))
}

/**
 * Reads all files of the built console into memory, some hundred kB. Returns undefined if the console was not built,
 * for example after an installation without scripts.
 */
export const readConsole = (): Promise<ReadonlyArray<StaticFile> | undefined> => readStaticFiles(builtDir)
