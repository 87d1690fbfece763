import { globSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { root } from "../manifest.ts"
import { decisionsList, orderOf, type Place } from "./order.ts"

const docs = join(root, "docs")

/** The pages of docs/ in the order of the index, which does not list single decisions. */
export const orderOfPages = (): ReadonlyArray<Place> => orderOf(readFileSync(join(docs, "README.md"), "utf8"))

/** All pages of docs/ that the index must list. */
export const pagesOfDocs = (): ReadonlyArray<string> =>
  globSync("**/*.md", { cwd: docs }).map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path !== "README.md" && !/^decisions\/\d/u.test(path)).sort()

const begins = "<!-- decisions: listed by npm run docs -->"

/** Returns the page of decisions with their list. */
export const listed = (page: string): string => {
  const files = globSync("decisions/[0-9]*.md", { cwd: docs })
  const texts = new Map(files.map((file) => [basename(file), readFileSync(join(docs, file), "utf8")]))
  const [head, rest] = page.split(begins)
  if (rest === undefined) throw new Error(`docs/decisions/README.md has no line ${begins}`)
  const tail = /\n---\n[^]*$/u.exec(rest)?.[0] ?? "\n"
  return `${head}${begins}\n\n${decisionsList(texts)}\n${tail}`
}
