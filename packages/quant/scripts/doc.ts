/** Reads the doc comments of the package's sources, for the reference page and the test of the examples. */
import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"

export interface DocumentedDeclaration {
  readonly name: string
  readonly kind: "function" | "interface" | "type" | "const"
  readonly file: string
  readonly signature: string
  readonly text: string
  readonly throws: string | undefined
  readonly example: string | undefined
}

export const sourceRoot = join(import.meta.dirname, "..", "src")

const DECLARATION_PATTERN = /(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?export (function|interface|type|const) (\w+)/g

/** Returns a declaration from its name to its body, after balancing the parentheses and braces of the parameters. */
function readSignature(source: string, at: number): string {
  let depth = 0
  let seen = false
  for (let i = at; i < source.length; i++) {
    const c = source[i]
    if (c === "(" || c === "{" || c === "[") {
      if (c === "{" && depth === 0 && seen && !/:\s*$/.test(source.slice(at, i))) return source.slice(at, i)
      depth++
      if (c === "(") seen = true
    } else if (c === ")" || c === "}" || c === "]") depth--
  }
  throw new Error(`no function body follows ${source.slice(at, at + 60)}`)
}

function parseComment(comment: string): Pick<DocumentedDeclaration, "text" | "throws" | "example"> {
  const lines = comment.split("\n").map((line) => line.replace(/^\s*\* ?/, ""))
  const body = lines.join("\n").trim()
  const [before, example] = body.split(/^@example\n/m)
  const [text, thrown] = before!.split(/^@throws /m)
  return { text: text!.trim(), throws: thrown?.trim(), example: example?.trim() }
}

function readDeclarations(file: string): ReadonlyArray<DocumentedDeclaration> {
  const source = readFileSync(file, "utf8")
  const declarations: Array<DocumentedDeclaration> = []
  for (const match of source.matchAll(DECLARATION_PATTERN)) {
    const [declaration, comment, kind, name] = match
    const start = match.index + declaration.lastIndexOf("export ")
    const signature = kind === "function"
      ? readSignature(source, start).replace(/^export function /, "").replace(/(?<=\()\s*\n\s*|\s*\n\s*(?=\))/g, "")
        .replace(/\s*\n\s*/g, " ").trim()
      : name!
    declarations.push({
      name: name!,
      // The type cast is safe, because the declaration pattern matches only these words.
      kind: kind as DocumentedDeclaration["kind"],
      file: relative(sourceRoot, file),
      signature,
      ...(comment === undefined ? { text: "", throws: undefined, example: undefined } : parseComment(comment))
    })
  }
  return declarations
}

/** Returns every exported declaration of every source file, including internal declarations. */
export function listDocumented(): ReadonlyArray<DocumentedDeclaration> {
  return readdirSync(sourceRoot, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .sort()
    .flatMap((name) => [...readDeclarations(join(sourceRoot, name))])
}
