import { createHash } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { extname, join, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"

/** A file of the console, as it is served. */
export interface ConsoleFile {
  /** Where it is below the console's address, without a slash before it: `index.html`. */
  readonly path: string
  /** Its media type, with the charset of a text. */
  readonly type: string
  /** The same for as long as its bytes are. */
  readonly etag: string
  /** True where its name changes with its bytes. */
  readonly immutable: boolean
  readonly bytes: Uint8Array
  /** The same compressed, where that makes it smaller. */
  readonly gzip?: Uint8Array | undefined
  readonly brotli?: Uint8Array | undefined
}

/** Where the built pages stand: beside the package's sources, or among what is published. */
const folder = fileURLToPath(new URL(import.meta.url.endsWith(".ts") ? "../dist/app/" : "./app/", import.meta.url))

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2"
}

const isFound = (error: unknown): boolean =>
  !(error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR"))

const orNone = <A>(read: Promise<A>): Promise<A | undefined> =>
  read.catch((error: unknown) => {
    if (isFound(error)) throw error
    return undefined
  })

const readOne = async (from: string, path: string, names: ReadonlySet<string>): Promise<ConsoleFile> => {
  const compressed = (ending: string) => names.has(path + ending) ? readFile(join(from, path + ending)) : undefined
  const [bytes, gzip, brotli] = await Promise.all([readFile(join(from, path)), compressed(".gz"), compressed(".br")])
  return {
    path: path.replaceAll(sep, "/"),
    type: types[extname(path)] ?? "application/octet-stream",
    etag: createHash("sha256").update(bytes).digest("hex").slice(0, 32),
    immutable: path.startsWith(`assets${sep}`),
    bytes,
    gzip,
    brotli
  }
}

/**
 * Every file of the built console, read whole: some hundred kB. Undefined where it was not built, as after an
 * installation whose scripts were not run.
 */
export const readConsole = async (from: string = folder): Promise<ReadonlyArray<ConsoleFile> | undefined> => {
  const entries = await orNone(readdir(from, { recursive: true, withFileTypes: true }))
  const names = new Set(
    (entries ?? []).filter((entry) => entry.isFile()).map(({ name, parentPath }) =>
      relative(from, join(parentPath, name))
    )
  )
  if (!names.has("index.html")) return undefined
  const served = [...names].filter((name) => !/(^\.|\.(gz|br)$)/.test(name)).sort()
  return Promise.all(served.map((name) => readOne(from, name, names)))
}
