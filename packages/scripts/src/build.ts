import { execFileSync } from "node:child_process"
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, relative, sep } from "node:path"
import { pathToFileURL } from "node:url"
import { listPublishedPackages, type RepositoryPackage, root, toPublishedManifest } from "./manifest.ts"
import { bundleBin } from "./packages/bundleBin.ts"

/** The folder of all build output. */
export const outputRoot = join(root, "dist")

/** Returns the folder of a built package, ready for `npm pack`. */
export const outputDirOf = (short: string): string => join(outputRoot, short)

/**
 * Converts a compiled file to its published form. The reference to a source map is removed, because source maps are not
 * published. In declarations, `.ts` is replaced by `.js`, because the compiler rewrites `./a.ts` in code but not in
 * types.
 */
const toPublishedText = (path: string, text: string): string => {
  const withoutSourceMap = text.replace(/\n?\/\/# sourceMappingURL=.*\s*$/, "\n")
  return path.endsWith(".d.ts")
    ? withoutSourceMap.replaceAll(/((?:from|import)\s*\(?\s*["']\.[^"']*)\.ts(["'])/g, "$1.js$2")
    : withoutSourceMap
}

/**
 * Copies only the compiled files of current sources, because the compiled files of removed sources remain in the
 * folder.
 */
const copyCompiledFiles = (home: string, output: string): void => {
  for (const source of globSync("**/*.ts", { cwd: join(home, "src") })) {
    for (const extension of [".js", ".d.ts"]) {
      const path = source.replace(/\.ts$/, extension)
      mkdirSync(dirname(join(output, path)), { recursive: true })
      writeFileSync(join(output, path), toPublishedText(path, readFileSync(join(home, "dist", path), "utf8")))
    }
  }
}

/**
 * Copies `@effect/sql-pg` into the published package, with its types and licence. The original works with the current
 * version of effect only after the repository's install script. With the adapted copy, an embedder does not need the
 * script.
 */
const copySqlPg = (output: string): void => {
  const require = createRequire(join(root, "packages/postgres/package.json"))
  const source = dirname(require.resolve("@effect/sql-pg/package.json"))
  const target = join(output, "vendor/sql-pg")
  for (const path of globSync("**/*.{js,d.ts}", { cwd: join(source, "dist") })) {
    mkdirSync(dirname(join(target, path)), { recursive: true })
    writeFileSync(join(target, path), toPublishedText(path, readFileSync(join(source, "dist", path), "utf8")))
  }
  cpSync(join(source, "LICENSE"), join(target, "LICENSE"))
}

/** The entries of the copied modules, which the declarations of other packages use. */
const sqlPgEntries = {
  "./sql-pg": { types: "./vendor/sql-pg/index.d.ts", default: "./vendor/sql-pg/index.js" },
  "./sql-pg/*": { types: "./vendor/sql-pg/*.d.ts", default: "./vendor/sql-pg/*.js" },
  "./sql-pg/internal/*": null
}

/** Makes every import of `@effect/sql-pg`, including type imports, use the copy in `@tapeline/postgres`. */
const rewriteSqlPgImports = ({ folderName }: RepositoryPackage, output: string): void => {
  for (const path of globSync("**/*.{js,d.ts}", { cwd: output, exclude: ["vendor/**"] })) {
    const before = readFileSync(join(output, path), "utf8")
    const relativePath = relative(dirname(path), "vendor/sql-pg").replaceAll(sep, "/")
    const targetOf = (module: string) =>
      folderName !== "postgres"
        ? `@tapeline/postgres/sql-pg${module === "index" ? "" : `/${module}`}`
        : `${relativePath.startsWith(".") ? relativePath : `./${relativePath}`}/${module}.js`
    const after = before.replaceAll(
      /(["'])@effect\/sql-pg(?:\/(\w+))?\1/g,
      (_, quote: string, module: string | undefined) => `${quote}${targetOf(module ?? "index")}${quote}`
    )
    if (after !== before) writeFileSync(join(output, path), after)
  }
}

/** Builds the pages of the console from the current sources, and returns their folder. */
const buildConsole = ({ directory }: RepositoryPackage): string => {
  execFileSync(process.execPath, [join(directory, "scripts/build.mjs")], { stdio: "inherit" })
  return join(directory, "dist/app")
}

/** Builds the given published packages, by default all, into `dist/<name>`, ready for `npm pack ./dist/<name>`. */
export const buildPackages = async (
  packages: ReadonlyArray<RepositoryPackage> = listPublishedPackages()
): Promise<void> => {
  rmSync(outputRoot, { recursive: true, force: true })
  execFileSync(join(root, "node_modules/.bin/tsc"), ["-b", ...packages.map(({ directory }) => directory)], {
    cwd: root,
    stdio: "inherit"
  })
  for (const entry of packages) {
    const output = outputDirOf(entry.folderName)
    copyCompiledFiles(entry.directory, output)
    const hasVendoredSqlPg = entry.folderName === "postgres"
    if (hasVendoredSqlPg) copySqlPg(output)
    rewriteSqlPgImports(entry, output)
    // Every host starts the bridge separately, so the bridge must not install or load more than it runs.
    const manifest = toPublishedManifest(
      entry.folderName === "mcp"
        ? { ...entry.manifest, dependencies: await bundleBin(entry, output, listPublishedPackages()) }
        : entry.manifest,
      hasVendoredSqlPg ? sqlPgEntries : {}
    )
    writeFileSync(join(output, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`)
    cpSync(join(root, "LICENSE"), join(output, "LICENSE"))
    cpSync(join(entry.directory, "README.md"), join(output, "README.md"))
    const fonts = join(entry.directory, "fonts")
    if (existsSync(fonts)) cpSync(fonts, join(output, "fonts"), { recursive: true })
    if (entry.folderName === "server") cpSync(join(root, "docs/configuration.md"), join(output, "configuration.md"))
    if (entry.folderName === "console") cpSync(buildConsole(entry), join(output, "app"), { recursive: true })
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await buildPackages()
