import { globSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { root } from "../manifest.ts"
import { decisionsList, type PageLink, parsePageOrder } from "./pageOrder.ts"

const docsDir = join(root, "docs")

/** Returns the pages of `docs` in the order of the index, without individual decisions. */
export const readPageOrder = (): ReadonlyArray<PageLink> =>
  parsePageOrder(readFileSync(join(docsDir, "README.md"), "utf8"))

/** Returns all pages that the index of `docs` must list. */
export const listDocsPages = (): ReadonlyArray<string> =>
  globSync("**/*.md", { cwd: docsDir }).map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path !== "README.md" && !/^decisions\/\d/u.test(path)).sort()

const listMarker = "<!-- decisions: listed by npm run docs -->"

export const withDecisionsList = (page: string): string => {
  const files = globSync("decisions/[0-9]*.md", { cwd: docsDir })
  const texts = new Map(files.map((file) => [basename(file), readFileSync(join(docsDir, file), "utf8")]))
  const [head, rest] = page.split(listMarker)
  if (rest === undefined) throw new Error(`docs/decisions/README.md has no line ${listMarker}`)
  const tail = /\n---\n[^]*$/u.exec(rest)?.[0] ?? "\n"
  return `${head}${listMarker}\n\n${decisionsList(texts)}\n${tail}`
}
