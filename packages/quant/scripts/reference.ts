/** Writes `docs/reference/quant.md` from the doc comments: `node packages/quant/scripts/reference.ts`. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { type DocumentedDeclaration, listDocumented, sourceRoot } from "./doc.ts"

const referencePath = join(import.meta.dirname, "..", "..", "..", "docs", "reference", "quant.md")

// The manifest of the package itself has this shape.
const manifest = JSON.parse(readFileSync(join(import.meta.dirname, "..", "package.json"), "utf8")) as {
  readonly exports: Readonly<Record<string, string>>
}

/** Replaces each `{@link name}` by a link within the page. */
const renderLinks = (text: string): string =>
  text.replace(/\{@link (\w+)\}/g, (_, name: string) => `[\`${name}\`](#${name.toLowerCase()})`)

function renderEntry({ name, signature, text, throws, example }: DocumentedDeclaration): string {
  const paragraphs = renderLinks(text).split(/\n\n/).map((paragraph) => paragraph.replace(/\n/g, " "))
  if (throws !== undefined) paragraphs.push(`Throws: ${renderLinks(throws).replace(/\n/g, " ")}`)
  const code = example === undefined ? [] : ["", example.replace(/^import .* from "@tapeline\/quant"\n/gm, "")]
  return [
    `### ${name}`,
    "",
    "```ts unchecked: a signature, and an example that the tests of the package run",
    `function ${signature}`,
    ...code,
    "```",
    "",
    ...paragraphs.flatMap((p) => [p, ""])
  ].join("\n")
}

function listExports(source: string): ReadonlySet<string> {
  const names = new Set<string>()
  for (const [, list] of source.matchAll(/export \{([^}]*)\} from/g)) {
    for (const name of list!.split(",")) names.add(name.trim().replace(/^type /, ""))
  }
  for (const [, name] of source.matchAll(/export (?:function|const|interface|type) (\w+)/g)) names.add(name!)
  return names
}

/** Returns the reference page, which describes a function under the first module that exports the function. */
export function renderReference(): string {
  const all = listDocumented()
  const describedNames = new Set<string>()
  const sections: Array<string> = []
  for (const [path, file] of Object.entries(manifest.exports)) {
    if (path === ".") continue
    const names = listExports(readFileSync(join(sourceRoot, file.replace("./src/", "")), "utf8"))
    const functions = all.filter((d) => d.kind === "function" && names.has(d.name) && !describedNames.has(d.name))
    for (const { name } of functions) describedNames.add(name)
    sections.push(
      `## @tapeline/quant${path.slice(1)}\n\n${
        functions.map((d) => `[\`${d.name}\`](#${d.name.toLowerCase()})`).join(", ")
      }\n`
    )
    sections.push(...functions.map(renderEntry))
  }
  return [
    "# Reference: @tapeline/quant",
    "",
    "Generated from the doc comments by `node packages/quant/scripts/reference.ts`; a test runs every example.",
    "Import a function from `@tapeline/quant`, or from the module that heads its section. In an example, `// =>` gives the",
    "value of the line before it, rounded to the digits shown.",
    "",
    "Series go in as any `ArrayLike<number>`, oldest first, and come out as a `Float64Array` of the same length, NaN during the warm-up",
    "and nowhere else. A gap (NaN) inside a series, or anything else a function cannot use, is a `RangeError` that says what to change;",
    "leading NaNs of a single-series indicator are taken as another indicator's warm-up. A quantity that is not defined for its",
    "input, such as a Sharpe ratio of equal returns, is `null`.",
    "",
    ...sections
  ].join("\n").trimEnd() + "\n"
}

if (import.meta.main) {
  mkdirSync(dirname(referencePath), { recursive: true })
  writeFileSync(referencePath, renderReference())
}
