import { createFromBuffer } from "@dprint/formatter"
import { getPath } from "@dprint/typescript"
import { globSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join, resolve } from "node:path"

/** Formats every source of the repository, or, with `--check`, lists unformatted sources and fails if there are any. */
const root = resolve(import.meta.dirname, "../../..")
const isCheck = process.argv.includes("--check")

const formatter = createFromBuffer(readFileSync(getPath()))
formatter.setConfig({ lineWidth: 120, indentWidth: 2, newLineKind: "lf" }, {
  semiColons: "asi",
  quoteStyle: "alwaysDouble",
  trailingCommas: "never",
  operatorPosition: "maintain",
  "arrowFunction.useParentheses": "force"
})

const cssFormatter = createFromBuffer(
  readFileSync(createRequire(import.meta.url).resolve("dprint-plugin-malva/plugin.wasm"))
)
cssFormatter.setConfig({ lineWidth: 120, indentWidth: 2, newLineKind: "lf" }, {})

const isSource = (path: string): boolean => !/(^|\/)(node_modules|dist)(\/|$)/.test(path)
const files = globSync("{packages,examples}/*/{src,test,scripts,browser}/**/*.{ts,tsx,mjs,css}", { cwd: root })
  .concat(globSync(["*.ts", "packages/*/*.ts", "site/.vitepress/**/*.{css,js,mjs}"], { cwd: root }))
  .filter(isSource)

let changedCount = 0
for (const path of files) {
  const file = join(root, path)
  const before = readFileSync(file, "utf8")
  const after = (path.endsWith(".css") ? cssFormatter : formatter).formatText({ filePath: file, fileText: before })
  if (after === before) continue
  changedCount++
  if (isCheck) console.error(`${path}: run \`npm run format\``)
  else writeFileSync(file, after)
}
console.log(`format: ${files.length} files, ${changedCount} ${isCheck ? "not formatted" : "formatted"}`)
process.exitCode = files.length === 0 || (isCheck && changedCount > 0) ? 1 : 0
