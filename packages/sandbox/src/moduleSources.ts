import { readFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { dirname, relative } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import type { QuantSources } from "./protocol.ts"

const importStatement = /^(import\b[^"]*")([^"]+)(")/gmu

/**
 * Returns the URL of a JavaScript version of a module. For a TypeScript module, the URL is a data URL that contains the
 * compiled code of the module and of its imports.
 */
export const toPlainModuleUrl = (file: URL): string => {
  if (!file.pathname.endsWith(".ts")) return file.href
  // The modules are compiled once, because compiling in each thread would more than double the start time of a thread.
  const code = stripTypeScriptTypes(readFileSync(file, "utf8"))
  const linkedCode = code.replaceAll(importStatement, (_, before: string, specifier: string, after: string) => {
    const moduleUrl = specifier.startsWith(".")
      ? toPlainModuleUrl(new URL(specifier, file))
      : specifier.startsWith("node:")
      ? specifier
      : import.meta.resolve(specifier)
    return `${before}${moduleUrl}${after}`
  })
  return `data:text/javascript;base64,${Buffer.from(linkedCode).toString("base64")}`
}

const relativeImport = /^\s*(?:import|export)\b[^"]*\bfrom\s*"(\.[^"]+)"/gmu

/**
 * Reads the sources of `@tapeline/quant` and names the sources so that scripts cannot see file paths of the machine.
 */
export const readQuantSources = (): QuantSources => {
  const entry = new URL(import.meta.resolve("@tapeline/quant"))
  const sourceFolder = dirname(fileURLToPath(entry))
  const toSandboxName = (file: URL): string =>
    `quant:/${relative(sourceFolder, fileURLToPath(file)).replaceAll("\\", "/")}`
  const sources = new Map<string, string>()
  const pendingFiles = [entry]
  for (let file = pendingFiles.pop(); file !== undefined; file = pendingFiles.pop()) {
    if (sources.has(toSandboxName(file))) continue
    const fileText = readFileSync(file, "utf8")
    // The sources are TypeScript in the repository, and compiled JavaScript in the published package.
    const source = file.pathname.endsWith(".ts") ? stripTypeScriptTypes(fileText) : fileText
    sources.set(toSandboxName(file), source)
    for (const [, specifier] of source.matchAll(relativeImport)) {
      pendingFiles.push(new URL(specifier!, pathToFileURL(fileURLToPath(file))))
    }
  }
  return { entry: toSandboxName(entry), sources }
}
