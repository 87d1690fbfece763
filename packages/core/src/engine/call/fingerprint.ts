import type { Effect } from "effect"
import { sha256 } from "../access/hash.ts"

/** What is still to be written: finished text, a value, or the end of an object that was entered. */
type Todo =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Value"; readonly value: unknown }
  | { readonly _tag: "Left"; readonly value: object }

const text = (text: string): Todo => ({ _tag: "Text", text })

/** The entries of an object in an order that does not depend on the one in which they were written. */
const sortedEntries = (value: object): ReadonlyArray<readonly [string, unknown]> =>
  // Through an object again, because engines put keys that are indices first.
  Object.entries(Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1)))
    .filter(([, entry]) => JSON.stringify(typeof entry === "object" ? null : entry) !== undefined)

const partsOf = (value: object): ReadonlyArray<Todo> =>
  Array.isArray(value)
    ? [
      text("["),
      ...value.flatMap((
        item: unknown,
        i
      ): ReadonlyArray<Todo> => [text(i === 0 ? "" : ","), { _tag: "Value", value: item }]),
      text("]")
    ]
    : [
      text("{"),
      ...sortedEntries(value).flatMap(([key, entry], i): ReadonlyArray<Todo> => [
        text(`${i === 0 ? "" : ","}${JSON.stringify(key)}:`),
        { _tag: "Value", value: entry }
      ]),
      text("}")
    ]

/**
 * `value` as JSON with sorted keys. It keeps its own stack of what is left to do, so that no depth of nesting, which a
 * stranger may choose, can use up the engine's.
 */
const canonicalJson = (value: unknown): string => {
  const written: Array<string> = []
  const todo: Array<Todo> = [{ _tag: "Value", value }]
  const entered = new Set<object>()
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    if (next._tag === "Text") written.push(next.text)
    else if (next._tag === "Left") entered.delete(next.value)
    else if (typeof next.value !== "object" || next.value === null) written.push(JSON.stringify(next.value) ?? "null")
    else {
      if (entered.has(next.value)) throw new TypeError("arguments that contain themselves are not JSON")
      entered.add(next.value)
      todo.push({ _tag: "Left", value: next.value })
      for (const part of partsOf(next.value).toReversed()) todo.push(part)
    }
  }
  return written.join("")
}

/**
 * A digest of an operation and its JSON arguments that does not depend on the order of their keys. It is of what was
 * sent, before any default: null and nothing differ, and a repeat stays the same request when a default changes.
 */
export const fingerprint = (operation: string, args: unknown): Effect.Effect<string> =>
  sha256(canonicalJson([operation, args]))
