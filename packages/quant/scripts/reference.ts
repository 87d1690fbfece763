/** Writes `docs/reference/quant.md` from the doc comments: `node packages/quant/scripts/reference.ts`. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { type DocumentedDeclaration, listDocumented, sourceRoot } from "./doc.ts"

const referencePath = join(import.meta.dirname, "..", "..", "..", "docs", "reference", "quant.md")

// The type cast is safe, because the package's own manifest has this shape.
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
    "`node packages/quant/scripts/reference.ts` generates this page from the doc comments. A test runs every example.",
    "Import a function from `@tapeline/quant`, or from the module in the heading of its section. In an example, the comment",
    "`// =>` shows the value of the preceding line, rounded to the shown digits.",
    "",
    "An input series is any `ArrayLike<number>`, oldest value first. An output series is a `Float64Array` of the same length,",
    "with NaN during the warm-up and nowhere else. A function throws a `RangeError` for a gap (NaN) within a series and for",
    "any other invalid input, and the message says what to change. An indicator of one series accepts leading NaNs, which are",
    "the warm-up of another indicator. A result that is undefined for its input, such as a Sharpe ratio of equal returns, is",
    "`null`.",
    "",
    ...sections
  ].join("\n").trimEnd() + "\n"
}

if (import.meta.main) {
  mkdirSync(dirname(referencePath), { recursive: true })
  writeFileSync(referencePath, renderReference())
}
