import { execFileSync } from "node:child_process"
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, relative, resolve } from "node:path"
import { pathToFileURL } from "node:url"

interface Manifest {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly private?: boolean
  readonly sideEffects?: boolean
  readonly exports?: Readonly<Record<string, string>>
  readonly bin?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
}

export const root = resolve(import.meta.dirname, "../../..")

/** The packages that are published, with their manifests. */
export const published = (): ReadonlyArray<{ readonly home: string; readonly manifest: Manifest }> =>
  globSync("packages/*/package.json", { cwd: root })
    .map((path) => ({
      home: join(root, dirname(path)),
      manifest: JSON.parse(readFileSync(join(root, path), "utf8")) as Manifest
    }))
    .filter(({ manifest }) => manifest.private !== true)

const built = (source: string, extension: string): string =>
  `./${relative("src", source).replaceAll("\\", "/").replace(/\.ts$/, extension)}`

/** The manifest of the built package: the same, with `exports` and `bin` at what was built. */
const publishable = (manifest: Manifest) => ({
  name: manifest.name,
  version: manifest.version,
  description: manifest.description,
  license: manifest.license,
  type: "module",
  engines: { node: ">=22.19" },
  ...(manifest.sideEffects === undefined ? {} : { sideEffects: manifest.sideEffects }),
  exports: Object.fromEntries(
    Object.entries(manifest.exports ?? {}).map(([name, source]) => [
      name,
      { types: built(source, ".d.ts"), default: built(source, ".js") }
    ])
  ),
  ...(manifest.bin === undefined
    ? {}
    : { bin: Object.fromEntries(Object.entries(manifest.bin).map(([name, source]) => [name, built(source, ".js")])) }),
  files: ["**/*.js", "**/*.d.ts", "LICENSE", "vendor/**/LICENSE"],
  dependencies: manifest.dependencies ?? {}
})

/**
 * @effect/sql-pg works with this effect only as the install script of this repository aligned it, so the published
 * package carries the aligned copy, under its own licence, and an embedder's install needs no such step.
 */
const vendorSqlPg = (dist: string): void => {
  const require = createRequire(join(root, "packages/postgres/package.json"))
  const source = dirname(require.resolve("@effect/sql-pg/package.json"))
  const target = join(dist, "vendor/sql-pg")
  mkdirSync(target, { recursive: true })
  cpSync(join(source, "dist"), target, { recursive: true, filter: (path) => !path.endsWith(".map") })
  cpSync(join(source, "LICENSE"), join(target, "LICENSE"))
  for (const path of globSync("**/*.{js,d.ts}", { cwd: dist, exclude: ["vendor/**"] })) {
    const file = join(dist, path)
    const before = readFileSync(file, "utf8")
    const to = `./${relative(dirname(file), target)}`.replace("././", "./").replace("./..", "..")
    const after = before
      .replaceAll(/(["'])@effect\/sql-pg\1/g, `$1${to}/index.js$1`)
      .replaceAll(/(["'])@effect\/sql-pg\/(\w+)\1/g, `$1${to}/$2.js$1`)
    if (after !== before) writeFileSync(file, after)
  }
}

/** Builds every published package into its `dist`, ready for `npm pack ./packages/<name>/dist`. */
export const build = (): void => {
  const packages = published()
  for (const { home } of packages) rmSync(join(home, "dist"), { recursive: true, force: true })
  execFileSync(join(root, "node_modules/.bin/tsc"), ["-b", ...packages.map(({ home }) => home)], {
    cwd: root,
    stdio: "inherit"
  })
  for (const { home, manifest } of packages) {
    const dist = join(home, "dist")
    if (manifest.name === "@tapeline/postgres") vendorSqlPg(dist)
    writeFileSync(join(dist, "package.json"), `${JSON.stringify(publishable(manifest), null, 2)}\n`)
    cpSync(join(root, "LICENSE"), join(dist, "LICENSE"))
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) build()
