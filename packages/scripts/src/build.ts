import { execFileSync } from "node:child_process"
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { listPublishedPackages, type RepositoryPackage, root, toPublishedManifest } from "./manifest.ts"
import { bundleBin } from "./packages/bundleBin.ts"

export const outputRoot = join(root, "dist")

export const outputDirOf = (short: string): string => join(outputRoot, short)

/**
 * Removes source map references, because source maps are not published, and corrects paths in declarations. The
 * TypeScript compiler replaces the extension `.ts` in code, but not in declarations.
 */
const toPublishedText = (path: string, text: string): string => {
  const withoutSourceMap = text.replace(/\n?\/\/# sourceMappingURL=.*\s*$/, "\n")
  return path.endsWith(".d.ts")
    ? withoutSourceMap.replaceAll(/((?:from|import)\s*\(?\s*["']\.[^"']*)\.ts(["'])/g, "$1.js$2")
    : withoutSourceMap
}

/**
 * Copies only the compiled files of current sources, because the compiled files of removed sources remain in `dist`.
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
    // Every host starts the bridge separately, so the bridge must install and load only the code that it runs.
    const manifest = toPublishedManifest(
      entry.folderName === "mcp"
        ? { ...entry.manifest, dependencies: await bundleBin(entry, output, listPublishedPackages()) }
        : entry.manifest
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
