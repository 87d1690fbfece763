import { readFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"

const imported = /^(import\b[^"]*")([^"]+)(")/gmu

/**
 * Returns the address of a module as plain JavaScript, with all its imports. For a TypeScript module, the address is a
 * data URL with the code. Node takes longer to read TypeScript than a thread needs for the rest of its start, and each
 * thread would read it again.
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
