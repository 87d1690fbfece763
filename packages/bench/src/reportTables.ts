/** Reads the tables of reports, so that one bench can use another's measurements. */
import { readFileSync } from "node:fs"
import { reportPath } from "./report.ts"

/** A row by the titles of its columns. */
export type ReportRow = Readonly<Record<string, string>>

const splitCells = (line: string): ReadonlyArray<string> => line.split("|").slice(1, -1).map((cell) => cell.trim())

/** The tables of a section of docs/benchmarks.md, in order. Empty if the section does not exist. */
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

/**
 * Returns a number from a section's table (by default the first): the column's value in the first row with this name.
 */
export const readNumber = (section: string, name: string, column: string, tableIndex = 0): number => {
  const row = readTables(section)[tableIndex]?.find((row) => Object.values(row)[0] === name)
  const value = Number(row?.[column]?.replaceAll(",", "") || NaN)
  if (Number.isNaN(value)) {
    throw new Error(`docs/benchmarks.md, section ${section}: no number "${column}" of "${name}". Run its bench first.`)
  }
  return value
}
