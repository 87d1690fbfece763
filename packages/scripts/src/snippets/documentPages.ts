import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../manifest.ts"
import { parseSnippets, type Snippet } from "./parseSnippets.ts"

export const documentPages: ReadonlyArray<string> = globSync(
  ["*.md", "docs/**/*.md", "packages/*/README.md", "examples/*/README.md"],
  { cwd: root }
).map((path) => path.replaceAll("\\", "/")).sort()

export const readPage = (page: string): string => readFileSync(join(root, page), "utf8")

export const readAllSnippets = (): ReadonlyMap<string, ReadonlyArray<Snippet>> =>
  new Map(documentPages.map((page) => [page, parseSnippets(page, readPage(page))]))
