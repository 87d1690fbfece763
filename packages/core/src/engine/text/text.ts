import { Schema } from "effect"
import { expectation } from "../tool/argument.ts"

/** Returns whether every store can store `text`: the text contains no NUL and no lone surrogates. */
export const isStorableText = (text: string): boolean => !text.includes("\0") && text.isWellFormed()

/** A text argument that every store can store. Each use of this schema must limit the length. */
export const Text = Schema.String.check(
  Schema.makeFilter(
    isStorableText,
    expectation("text without NUL and without lone surrogates", { key: "expected_text" })
  )
)

/** Requires text to be empty or to contain more than white space. */
export const isNotBlank = Schema.makeFilter<string>(
  (text) => text === "" || text.trim() !== "",
  expectation("text that is not blank", { key: "expected_words" })
)

const nameExpectation = expectation("a name without control characters", { key: "expected_name" })

/** A name: 1 to 100 characters on one line. */
export const Name = Schema.String.check(
  Schema.isBetweenLength(1, 100),
  // JSON Schema can express this pattern: no control characters, and at least one character that is not white space.
  Schema.isPattern(/^[^\p{Cc}]*[^\p{Cc}\s][^\p{Cc}]*$/u, nameExpectation),
  Schema.makeFilter((name) => name.isWellFormed(), nameExpectation)
)

/**
 * The position of a text that no store can store, within a JSON value. `in` states whether the text is a value or an
 * object key.
 */
export interface TextFault {
  readonly path: ReadonlyArray<string | number>
  readonly in: "value" | "key"
}

/** The result of `checkTexts`. */
export type TextReport =
  | { readonly _tag: "TooDeep" }
  | { readonly _tag: "Read"; readonly faults: ReadonlyArray<TextFault> }

/**
 * Checks whether every store can store the texts and object keys of a JSON value. Returns `TooDeep` if the value is
 * nested deeper than `maxDepth`. Code that later processes a more deeply nested value could overflow the stack.
 */
export const checkTexts = (value: unknown, maxDepth: number): TextReport => {
  const faults: Array<TextFault> = []
  const path: Array<string | number> = []

  const check = (value: unknown): boolean => {
    if (typeof value === "string") {
      if (!isStorableText(value)) faults.push({ path: [...path], in: "value" })
      return true
    }
    if (typeof value !== "object" || value === null) return true
    if (path.length >= maxDepth) return false
    // Checks items from the last to the first, which is the order in which faults are reported.
    if (Array.isArray(value)) return value.findLastIndex((item: unknown, i) => !checkAt(i, item)) === -1
    const entries = Object.entries(value)
    for (const [key] of entries) if (!isStorableText(key)) faults.push({ path: [...path, key], in: "key" })
    return entries.findLastIndex(([key, item]) => !checkAt(key, item)) === -1
  }

  const checkAt = (key: string | number, value: unknown): boolean => {
    path.push(key)
    const isChecked = check(value)
    path.pop()
    return isChecked
  }

  return check(value) ? { _tag: "Read", faults } : { _tag: "TooDeep" }
}
