// Writes the tool reference, the list of decisions and the links at the foot of each page. With --check only compares.
import { Effect } from "effect"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { root } from "./manifest.ts"
import { withFooter } from "./site/order.ts"
import { listed, orderOfPages } from "./site/pages.ts"
import { toolAnswers } from "./toolAnswers.ts"
import { toolNeeds } from "./toolNeeds.ts"
import { toolReference } from "./toolReference.ts"

const written = new Map<string, string>()
const pathOf = (page: string): string => join(root, "docs", page)
const textOf = (page: string): string => existsSync(pathOf(page)) ? readFileSync(pathOf(page), "utf8") : ""

for (const [name, text] of toolReference(await Effect.runPromise(toolNeeds), await Effect.runPromise(toolAnswers))) {
  written.set(`reference/${name}`, text)
}
written.set("decisions/README.md", listed(textOf("decisions/README.md")))
const order = orderOfPages()
for (const { path } of order) written.set(path, withFooter(order, path, written.get(path) ?? textOf(path)))

const different = [...written].filter(([page, text]) => textOf(page) !== text)
if (process.argv.includes("--check")) {
  for (const [page] of different) {
    process.stderr.write(`docs/${page} is not what would be written: run \`npm run docs\`.\n`)
  }
  if (different.length > 0) process.exitCode = 1
} else {
  for (const [page, text] of different) {
    mkdirSync(dirname(pathOf(page)), { recursive: true })
    writeFileSync(pathOf(page), text)
  }
}
