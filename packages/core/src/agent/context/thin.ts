import type { Schema } from "effect"
import { bytesOf, estimateTokens, utf8Bytes } from "./tokens.ts"

interface Bounds {
  readonly items: number
  readonly keys: number
  readonly letters: number
}

/** From mild to harsh. The first level at which a value fits is used. */
const levels: ReadonlyArray<Bounds> = [
  { items: 60, keys: 200, letters: 2_000 },
  { items: 30, keys: 100, letters: 800 },
  { items: 16, keys: 60, letters: 400 },
  { items: 8, keys: 40, letters: 200 },
  { items: 4, keys: 30, letters: 120 },
  { items: 2, keys: 20, letters: 60 }
]

const cutText = (text: string, letters: number): string =>
  text.length <= letters
    ? text
    : `${text.slice(0, letters).replace(/[\ud800-\udbff]$/, "")}… (${text.length - letters} more of ${text.length})`

/**
 * Shortens a list by leaving out its middle, because the first and last items of a series matter most. A note with the
 * number of left-out items takes its place.
 */
const cutList = (list: ReadonlyArray<Schema.Json>, bounds: Bounds): ReadonlyArray<Schema.Json> => {
  const thin = (value: Schema.Json) => cut(value, bounds)
  if (list.length <= bounds.items) return list.map(thin)
  const first = Math.ceil(bounds.items / 2)
  const last = bounds.items - first
  return [
    ...list.slice(0, first).map(thin),
    `… ${list.length - bounds.items} of ${list.length} left out …`,
    ...list.slice(list.length - last).map(thin)
  ]
}

const isList = (value: Schema.Json): value is ReadonlyArray<Schema.Json> => Array.isArray(value)

const cut = (value: Schema.Json, bounds: Bounds): Schema.Json => {
  if (typeof value === "string") return cutText(value, bounds.letters)
  if (typeof value !== "object" || value === null) return value
  if (isList(value)) return cutList(value, bounds)
  const entries = Object.entries(value)
  const kept = entries.slice(0, bounds.keys).map(([key, entry]) => [key, cut(entry, bounds)] as const)
  const rest = entries.length - kept.length
  return Object.fromEntries(rest === 0 ? kept : [...kept, ["…", `${rest} of ${entries.length} left out`]])
}

/**
 * Returns `value` as valid JSON of at most `tokens` (estimated). If it is too long, the middle of lists and the end of
 * texts and objects are left out, with a note of how much.
 */
export const thinned = (value: Schema.Json, tokens: number): string => {
  const most = bytesOf(tokens)
  const whole = JSON.stringify(value)
  if (utf8Bytes(whole) <= most) return whole
  for (const bounds of levels) {
    const text = JSON.stringify(cut(value, bounds))
    if (utf8Bytes(text) <= most) return text
  }
  const told = `all but the beginning of ${whole.length} characters`
  for (let length = most;; length = Math.floor(length / 2)) {
    const beginning = whole.slice(0, length).replace(/[\ud800-\udbff]$/, "")
    const text = JSON.stringify({ left_out: told, beginning })
    if (utf8Bytes(text) <= most || length === 0) return text
  }
}

const leastLetters = 60

/** Shortens `text` to about `tokens` at most. A note replaces its middle. */
export const shortened = (text: string, tokens: number): string => {
  const whole = estimateTokens(text)
  if (whole <= tokens) return text
  const letters = Math.max(leastLetters, Math.floor(text.length * tokens / whole / 2))
  if (2 * letters >= text.length) return text
  const [head, tail] = [text.slice(0, letters), text.slice(-letters)]
  return `${head.toWellFormed()}\n[… left out: too long …]\n${tail.toWellFormed()}`
}
