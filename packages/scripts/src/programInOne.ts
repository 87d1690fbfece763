import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { rolldown } from "rolldown"
import { root } from "./manifest.ts"

export interface BundledProgram {
  readonly path: string
  readonly remove: () => void
}

/**
 * Returns whether a module becomes part of a bundle. A bundle contains only modules of effect and of the repository.
 */
const isBundled = (id: string): boolean => /^(?:[./\0]|@tapeline\/|@effect\/|effect(?:\/|$))/.test(id)

/**
 * Bundles a program of the repository for tests that start the program many times. Without the bundle, a third of the
 * start time would be spent on loading a thousand modules.
 */
export const bundleProgram = async (program: string): Promise<BundledProgram> => {
  // The bundle is within the repository, because Node finds the packages that are not bundled only from there.
  const cacheDir = join(root, "node_modules/.cache")
  mkdirSync(cacheDir, { recursive: true })
  const dir = mkdtempSync(join(cacheDir, "tapeline-program-"))
  await using bundle = await rolldown({
    input: { main: program },
    platform: "node",
    external: (id) => !isBundled(id),
    plugins: [{
      name: "own-place",
      // Each module keeps its original URL, so that it finds its worker threads and data files.
      transform: (code, id) =>
        code.includes("import.meta.url")
          ? code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href))
          : null
    }]
  })
  await bundle.write({ dir, format: "esm" })
  return { path: join(dir, "main.js"), remove: () => rmSync(dir, { recursive: true, force: true }) }
}
