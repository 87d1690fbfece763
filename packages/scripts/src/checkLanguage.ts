// Counts the lines of prose with constructions that plain technical English avoids; `--list KIND` prints the lines.
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { isAvoided, type TextKind, textLines } from "./language.ts"
import { root } from "./manifest.ts"

/** The maximum percentage of lines with avoided constructions, which may only be lowered toward the goal of 2 %. */
const maxPercent: Readonly<Record<TextKind, number>> = {
  documents: 0.5,
  decisions: 4,
  comments: 2,
  messages: 0.5,
  "test names": 0.5
}

const isGenerated = (file: string): boolean =>
  /^docs\/(reference\/|questions\.md|benchmarks\.md|decisions\/README\.md)/.test(file)

const listedKind = process.argv[process.argv.indexOf("--list") + 1]
const files = execFileSync("git", ["ls-files", "*.md", "*.ts", "*.tsx"], { cwd: root, encoding: "utf8" })
  .split("\n").filter((file) => file !== "" && !isGenerated(file))
const counts = new Map<TextKind, { lines: number; avoided: number }>()
for (const file of files) {
  for (const { kind, line, text } of textLines(file, readFileSync(join(root, file), "utf8"))) {
    const count = counts.get(kind) ?? { lines: 0, avoided: 0 }
    counts.set(kind, count)
    count.lines++
    if (!isAvoided(text)) continue
    count.avoided++
    if (kind === listedKind) console.log(`${file}:${line}: ${text}`)
  }
}
for (const [kind, { avoided, lines }] of counts) {
  const percent = 100 * avoided / lines
  console.log(
    `language: ${kind}: ${avoided} of ${lines} lines (${percent.toFixed(1)} %, at most ${maxPercent[kind]} %)`
  )
  if (percent <= maxPercent[kind]) continue
  console.error(
    `Too many lines are not plain English. List the lines: npm run check:language -- --list "${kind}"`
  )
  process.exitCode = 1
}
