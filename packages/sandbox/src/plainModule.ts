import { readFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"

const imported = /^(import\b[^"]*")([^"]+)(")/gmu

/**
 * The address of a module as plain JavaScript, with all that it imports: of one in TypeScript, an address that holds
 * the code itself. To read TypeScript takes Node longer than all else that a thread does at its start, and each thread
 * would do it anew.
 */
export const plainModule = (file: URL): string => {
  if (!file.pathname.endsWith(".ts")) return file.href
  const code = stripTypeScriptTypes(readFileSync(file, "utf8"))
  const linked = code.replaceAll(imported, (_, before: string, specifier: string, after: string) => {
    const address = specifier.startsWith(".")
      ? plainModule(new URL(specifier, file))
      : specifier.startsWith("node:")
      ? specifier
      : import.meta.resolve(specifier)
    return `${before}${address}${after}`
  })
  return `data:text/javascript;base64,${Buffer.from(linked).toString("base64")}`
}
