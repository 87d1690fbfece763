import { readFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { dirname, relative } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import type { QuantSources } from "./protocol.ts"

const imported = /^\s*(?:import|export)\b[^"]*\bfrom\s*"(\.[^"]+)"/gmu

/**
 * Reads the sources of `@tapeline/quant` with all their imports, under names that reveal nothing about this machine.
 */
export const readQuantSources = (): QuantSources => {
  const entry = new URL(import.meta.resolve("@tapeline/quant"))
  const home = dirname(fileURLToPath(entry))
  const named = (file: URL): string => `quant:/${relative(home, fileURLToPath(file)).replaceAll("\\", "/")}`
  const sources = new Map<string, string>()
  const left = [entry]
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    if (sources.has(named(file))) continue
    const written = readFileSync(file, "utf8")
    // The sources are TypeScript; the published package is compiled.
    const source = file.pathname.endsWith(".ts") ? stripTypeScriptTypes(written) : written
    sources.set(named(file), source)
    for (const [, specifier] of source.matchAll(imported)) {
      left.push(new URL(specifier!, pathToFileURL(fileURLToPath(file))))
    }
  }
  return { entry: named(entry), sources }
}
