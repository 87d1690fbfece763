import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { rolldown } from "rolldown"
import { root } from "./manifest.ts"

/** A program in a few files, from which it starts as from its sources, only sooner. */
export interface ProgramInOne {
  readonly path: string
  readonly remove: () => void
}

/** Ours, and effect, which are most of what a start loads; the rest is loaded from where it is installed. */
const isInside = (id: string): boolean => /^(?:[./\0]|@tapeline\/|@effect\/|effect(?:\/|$))/.test(id)

/**
 * Puts a program of this repository together for tests that start it many times: a third of what a start computes goes
 * to finding and reading a thousand modules. Each module knows its own place as before, so that threads and files
 * beside it are found where they are.
 */
export const putTogether = async (program: string): Promise<ProgramInOne> => {
  // From here the packages that are not inside are found.
  const above = join(root, "node_modules/.cache")
  mkdirSync(above, { recursive: true })
  const dir = mkdtempSync(join(above, "tapeline-program-"))
  await using bundle = await rolldown({
    input: { main: program },
    platform: "node",
    external: (id) => !isInside(id),
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
