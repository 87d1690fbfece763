import { Schema } from "effect"
import type { Message } from "../messages/dictionary.ts"

/** True when every store can keep `text`: it has no NUL, and no half of a surrogate pair stands alone. */
export const isText = (text: string): boolean => !text.includes("\0") && text.isWellFormed()

const expects = (expected: string, message: Message) => ({ expected, expectedMessage: message })

/** Free text of a caller, as every store can keep it: notes, questions, journals. Bound its length where it is used. */
export const Text = Schema.String.check(
  Schema.makeFilter(isText, expects("text without NUL and without lone surrogates", { key: "expected_text" }))
)

/** Text that says something, or nothing at all; not blanks alone. */
export const hasWords = Schema.makeFilter<string>(
  (text) => text === "" || text.trim() !== "",
  expects("text that is not blank", { key: "expected_words" })
)

const expectsName = expects("a name without control characters", { key: "expected_name" })

/** The name of something: 1 to 100 characters of one line. */
export const Name = Schema.String.check(
  Schema.isBetweenLength(1, 100),
  // As documents can say it: something that is neither a control character nor a space, and none of the former.
  Schema.isPattern(/^[^\p{Cc}]*[^\p{Cc}\s][^\p{Cc}]*$/u, expectsName),
  Schema.makeFilter((name) => name.isWellFormed(), expectsName)
)

/** Where in a JSON value a text stands that no store could keep, and what kind of place it is. */
export interface TextFault {
  readonly path: ReadonlyArray<string | number>
  readonly in: "value" | "key"
}

/** What a walk over a JSON value found. */
export type TextReport =
  | { readonly _tag: "TooDeep" }
  | { readonly _tag: "Read"; readonly faults: ReadonlyArray<TextFault> }

/** More faults than this help nobody. */
const maxFaults = 20

/**
 * Looks at every text of a JSON value, keys too. A value nested more than `maxDepth` deep is not read at all: what
 * comes after could be brought to its knees by it.
 */
export const readTexts = (value: unknown, maxDepth: number): TextReport => {
  const faults: Array<TextFault> = []
  const path: Array<string | number> = []

  /** False when it is too deep; no call goes deeper than that. */
  const read = (value: unknown): boolean => {
    if (typeof value === "string") {
      if (!isText(value)) faults.push({ path: [...path], in: "value" })
      return true
    }
    if (typeof value !== "object" || value === null) return true
    if (path.length >= maxDepth) return false
    // From the last to the first, which is the order in which faults are told.
    if (Array.isArray(value)) return value.findLastIndex((item: unknown, i) => !readAt(i, item)) === -1
    const entries = Object.entries(value)
    for (const [key] of entries) if (!isText(key)) faults.push({ path: [...path, key], in: "key" })
    return entries.findLastIndex(([key, item]) => !readAt(key, item)) === -1
  }

  const readAt = (place: string | number, value: unknown): boolean => {
    path.push(place)
    const isRead = read(value)
    path.pop()
    return isRead
  }

  return read(value) ? { _tag: "Read", faults: faults.slice(0, maxFaults) } : { _tag: "TooDeep" }
}
