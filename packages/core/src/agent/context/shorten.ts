import type { Schema } from "effect"
import { countUtf8Bytes, estimateTokens, tokensToBytes } from "./tokens.ts"

interface CutLimits {
  readonly maxItems: number
  readonly maxKeys: number
  readonly maxCharacters: number
}

/**
 * The limits for `shortenJson`, from mild to harsh. `shortenJson` uses the first limits that make the value short
 * enough.
 */
const levels: ReadonlyArray<CutLimits> = [
  { maxItems: 60, maxKeys: 200, maxCharacters: 2_000 },
  { maxItems: 30, maxKeys: 100, maxCharacters: 800 },
  { maxItems: 16, maxKeys: 60, maxCharacters: 400 },
  { maxItems: 8, maxKeys: 40, maxCharacters: 200 },
  { maxItems: 4, maxKeys: 30, maxCharacters: 120 },
  { maxItems: 2, maxKeys: 20, maxCharacters: 60 }
]

const cutText = (text: string, maxCharacters: number): string =>
  text.length <= maxCharacters
    ? text
    : `${text.slice(0, maxCharacters).replace(/[\ud800-\udbff]$/, "")}… (${
      text.length - maxCharacters
    } more of ${text.length})`

/** Replaces the middle of a long list with a note on the number of omitted items. */
const cutList = (list: ReadonlyArray<Schema.Json>, limits: CutLimits): ReadonlyArray<Schema.Json> => {
  const cutItem = (value: Schema.Json) => cutValue(value, limits)
  if (list.length <= limits.maxItems) return list.map(cutItem)
  const first = Math.ceil(limits.maxItems / 2)
  const last = limits.maxItems - first
  return [
    ...list.slice(0, first).map(cutItem),
    `… ${list.length - limits.maxItems} of ${list.length} left out …`,
    ...list.slice(list.length - last).map(cutItem)
  ]
}

const isList = (value: Schema.Json): value is ReadonlyArray<Schema.Json> => Array.isArray(value)

const cutValue = (value: Schema.Json, limits: CutLimits): Schema.Json => {
  if (typeof value === "string") return cutText(value, limits.maxCharacters)
  if (typeof value !== "object" || value === null) return value
  if (isList(value)) return cutList(value, limits)
  const entries = Object.entries(value)
  const keptEntries = entries.slice(0, limits.maxKeys).map(([key, entry]) => [key, cutValue(entry, limits)] as const)
  const rest = entries.length - keptEntries.length
  return Object.fromEntries(rest === 0 ? keptEntries : [...keptEntries, ["…", `${rest} of ${entries.length} left out`]])
}

/** Returns a value as valid JSON of at most `maxTokens` (estimated), with notes in place of omitted parts. */
export const shortenJson = (value: Schema.Json, maxTokens: number): string => {
  const maxBytes = tokensToBytes(maxTokens)
  const json = JSON.stringify(value)
  if (countUtf8Bytes(json) <= maxBytes) return json
  for (const limits of levels) {
    const text = JSON.stringify(cutValue(value, limits))
    if (countUtf8Bytes(text) <= maxBytes) return text
  }
  const note = `all but the beginning of ${json.length} characters`
  for (let length = maxBytes;; length = Math.floor(length / 2)) {
    const beginning = json.slice(0, length).replace(/[\ud800-\udbff]$/, "")
    const text = JSON.stringify({ left_out: note, beginning })
    if (countUtf8Bytes(text) <= maxBytes || length === 0) return text
  }
}

const minCharacters = 60

/** Shortens a text to about `maxTokens` by replacing its middle with a note. */
export const shortenText = (text: string, maxTokens: number): string => {
  const estimate = estimateTokens(text)
  if (estimate <= maxTokens) return text
  const characters = Math.max(minCharacters, Math.floor(text.length * maxTokens / estimate / 2))
  if (2 * characters >= text.length) return text
  const [head, tail] = [text.slice(0, characters), text.slice(-characters)]
  return `${head.toWellFormed()}\n[… left out: too long …]\n${tail.toWellFormed()}`
}
