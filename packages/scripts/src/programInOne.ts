import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { rolldown } from "rolldown"
import { root } from "./manifest.ts"

/** A program that is bundled into a few files, so that it starts faster than from its sources. */
export interface BundledProgram {
  readonly path: string
  readonly remove: () => void
}

/**
 * Returns whether a module belongs to the bundle. The bundle contains the repository and effect, which are most of the
 * loaded modules. Other packages are loaded from their installation.
 */
const isBundled = (id: string): boolean => /^(?:[./\0]|@tapeline\/|@effect\/|effect(?:\/|$))/.test(id)

/**
 * Bundles a program of the repository for tests that start it many times. Without a bundle, finding and reading a
 * thousand modules takes a third of the start time. Each module keeps its own URL, so that it finds its threads and
 * files.
 */
export const bundleProgram = async (program: string): Promise<BundledProgram> => {
  // Packages outside the bundle are resolved from the cache folder.
  const cacheDir = join(root, "node_modules/.cache")
  mkdirSync(cacheDir, { recursive: true })
  const dir = mkdtempSync(join(cacheDir, "tapeline-program-"))
  await using bundle = await rolldown({
    input: { main: program },
    platform: "node",
    external: (id) => !isBundled(id),
    plugins: [{
      name: "own-place",
      transform: (code, id) =>
        code.includes("import.meta.url")
          ? code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href))
          : null
    }]
  })
  await bundle.write({ dir, format: "esm" })
  return { path: join(dir, "main.js"), remove: () => rmSync(dir, { recursive: true, force: true }) }
}
