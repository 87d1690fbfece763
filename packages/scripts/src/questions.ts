// Writes `docs/questions.md` from calls to the service at a fixed time, or, with `--check`, compares the document.
import { Effect } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./manifest.ts"
import { questionsDocument } from "./questions/document.ts"
import { withoutFooter } from "./site/pageOrder.ts"

const path = join(root, "docs/questions.md")
const document = await Effect.runPromise(questionsDocument)
if (!process.argv.includes("--check")) writeFileSync(path, document)
else if (withoutFooter(readFileSync(path, "utf8")) !== document) {
  process.stderr.write(
    "docs/questions.md differs from the results of the calls: run `npm run docs`, and check the changes.\n"
  )
  process.exitCode = 1
}
