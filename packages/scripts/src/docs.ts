// Writes the generated parts of `docs`, or, with `--check`, compares the generated parts with the files.
import { Effect } from "effect"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { root } from "./manifest.ts"
import { readPageOrder, withDecisionsList } from "./site/docsPages.ts"
import { withFooter } from "./site/pageOrder.ts"
import { collectToolExchanges } from "./toolExchanges.ts"
import { findToolPorts } from "./toolPorts.ts"
import { renderReference } from "./toolReference.ts"

const generatedPages = new Map<string, string>()
const pagePath = (page: string): string => join(root, "docs", page)
const pageText = (page: string): string => existsSync(pagePath(page)) ? readFileSync(pagePath(page), "utf8") : ""

for (
  const [name, text] of renderReference(
    await Effect.runPromise(findToolPorts),
    await Effect.runPromise(collectToolExchanges)
  )
) {
  generatedPages.set(`reference/${name}`, text)
}
generatedPages.set("decisions/README.md", withDecisionsList(pageText("decisions/README.md")))
const pageOrder = readPageOrder()
for (const { path } of pageOrder) {
  generatedPages.set(path, withFooter(pageOrder, path, generatedPages.get(path) ?? pageText(path)))
}

const outdatedPages = [...generatedPages].filter(([page, text]) => pageText(page) !== text)
if (process.argv.includes("--check")) {
  for (const [page] of outdatedPages) {
    process.stderr.write(`docs/${page} differs from the generated page: run \`npm run docs\`.\n`)
  }
  if (outdatedPages.length > 0) process.exitCode = 1
} else {
  for (const [page, text] of outdatedPages) {
    mkdirSync(dirname(pagePath(page)), { recursive: true })
    writeFileSync(pagePath(page), text)
  }
}
