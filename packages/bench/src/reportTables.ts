import { readFileSync } from "node:fs"
import { reportPath } from "./report.ts"

/** The cells of a table row, by the titles of their columns. */
export type ReportRow = Readonly<Record<string, string>>

const splitCells = (line: string): ReadonlyArray<string> => line.split("|").slice(1, -1).map((cell) => cell.trim())

/** Returns the tables of a section of `docs/benchmarks.md`, or an empty list if the section does not exist. */
export const readTables = (section: string): ReadonlyArray<ReadonlyArray<ReportRow>> => {
  const text = readFileSync(reportPath, "utf8")
  const [from, to] = [text.indexOf(`<!-- bench:${section} -->`), text.indexOf(`<!-- /bench:${section} -->`)]
  if (from < 0 || to < from) return []
  const blocks = text.slice(from, to).match(/(?:^\|.*\|$\n?)+/gm) ?? []
  return blocks.map((block) => {
    const [head = [], , ...rows] = block.trimEnd().split("\n").map(splitCells)
    return rows.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i] ?? ""])))
  })
}

/** Returns the number in row `name` and column `column` of a table in the report. */
export const readNumber = (section: string, name: string, column: string, tableIndex = 0): number => {
  const row = readTables(section)[tableIndex]?.find((row) => Object.values(row)[0] === name)
  const value = Number(row?.[column]?.replaceAll(",", "") || NaN)
  if (Number.isNaN(value)) {
    throw new Error(`docs/benchmarks.md, section ${section}: no number "${column}" of "${name}". Run its bench first.`)
  }
  return value
}
