/** Writes sections of the report `docs/benchmarks.md`. Each section has a start marker and an end marker. */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { availableParallelism, cpus } from "node:os"
import { join } from "node:path"

export const reportPath = join(import.meta.dirname, "..", "..", "..", "docs", "benchmarks.md")

const TITLE = `# Benchmarks

\`npm run bench\` writes this page. Each section compares Tapeline with a named peer or limit, in one run on one
machine. Compare the ratios, because the times depend on the machine. The numbers of a section are those of its last
run.
`

/** Replaces or appends the section `name` of a report, and creates a missing report. */
export function writeSection(name: string, markdown: string, path = reportPath): void {
  const open = `<!-- bench:${name} -->`
  const close = `<!-- /bench:${name} -->`
  const text = existsSync(path) ? readFileSync(path, "utf8") : TITLE
  const section = `${open}\n${markdown.trim()}\n${close}`
  const from = text.indexOf(open)
  const to = text.indexOf(close)
  const next = from >= 0 && to > from
    ? text.slice(0, from) + section + text.slice(to + close.length)
    : `${text.trimEnd()}\n\n${section}\n`
  // The report is written to a draft and then renamed, because a rename is atomic.
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, next)
  renameSync(draft, path)
}

/** Returns the date, the CPU cores and the Node version, as one line for a benchmark report. */
export function runConditions(now: Date): string {
  return `${now.toISOString().slice(0, 10)}, ${availableParallelism()} cores (${
    cpus()[0]?.model.trim() ?? "unknown"
  }), Node ${process.versions.node}`
}

export function table(head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string {
  const line = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n")
}

export function median(sample: ReadonlyArray<number>): number {
  if (sample.length === 0) throw new RangeError("median: the sample is empty")
  const sorted = sample.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
