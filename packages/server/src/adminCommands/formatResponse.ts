import { Predicate } from "effect"

/* The output of admin commands for people. Names and texts come from users, so they may contain any character. */

type Fields = Readonly<Record<string, unknown>>

// Excludes null and arrays, which have the type `object`, too.
const isFields = (value: unknown): value is Fields => Predicate.isObject(value) && !Array.isArray(value)

const escapeCharacter = (character: string): string =>
  character === "\n" ? "\\n" : `\\u{${character.codePointAt(0)!.toString(16)}}`

/** Escapes characters that could control the terminal, break a line, or change the direction of the text. */
const escapeText = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, escapeCharacter)

/** The displayed text of a list that excludes nothing if the list is empty. */
const emptyLists: Readonly<Record<string, string>> = { allowed_ips: "any" }

const formatNamed = (name: string, value: unknown): string =>
  Array.isArray(value) && value.length === 0 ? emptyLists[name] ?? "-" : formatValue(value)

const formatValue = (value: unknown): string => {
  if (value === null || value === undefined || value === "") return "-"
  if (Array.isArray(value)) return value.length === 0 ? "-" : value.map(formatValue).join(",")
  if (!isFields(value)) return escapeText(typeof value === "string" ? value : JSON.stringify(value))
  const entries = Object.entries(value)
  return entries.length === 0 ? "-" : entries.map(([name, one]) => `${name}=${formatNamed(name, one)}`).join(" ")
}

/** Matches characters that a terminal shows in two columns. */
const wide = /[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\uff01-\uff60]/gu

const widthOf = (text: string): number => Array.from(text).length + (text.match(wide)?.length ?? 0)

/** Returns rows as lines of aligned columns, below the names of the columns. */
const formatTable = (rows: ReadonlyArray<Fields>, columns: ReadonlyArray<string>): string => {
  const cells = [columns, ...rows.map((row) => columns.map((column) => formatNamed(column, row[column])))]
  const widths = columns.map((_, i) => Math.max(...cells.map((line) => widthOf(line[i]!))))
  return cells
    .map((line) => line.map((cell, i) => cell + " ".repeat(widths[i]! - widthOf(cell))).join("  ").trimEnd())
    .join("\n")
}

const isTable = (value: unknown): value is ReadonlyArray<Fields> => Array.isArray(value) && value.some(isFields)

const formatField = (
  [name, value]: readonly [string, unknown],
  columns: ReadonlyArray<string> | undefined
): string =>
  isTable(value)
    ? formatTable(value, columns ?? Object.keys(value[0]!))
    : Array.isArray(value) && value.length === 0
    ? `${name}: ${emptyLists[name] ?? "none"}`
    : `${name}: ${formatValue(value)}`

/**
 * Returns a response as text. A list becomes a table of `columns`, by default of all fields of its first item. Each
 * other field becomes a line `name: value`. If a list has no further page, the line `next_cursor` is omitted.
 */
export const formatResponse = (response: object, columns?: ReadonlyArray<string>): string =>
  Object.entries(response)
    .filter(([name, value]) => name !== "next_cursor" || value !== null)
    .map((field) => formatField(field, columns))
    .join("\n")
