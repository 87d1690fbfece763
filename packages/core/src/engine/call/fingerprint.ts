import type { Effect } from "effect"
import { sha256 } from "../access/hash.ts"

/** A unit of remaining work: finished text, a value, or the end of an entered object. */
type Todo =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Value"; readonly value: unknown }
  | { readonly _tag: "Left"; readonly value: object }

const text = (text: string): Todo => ({ _tag: "Text", text })

/** The entries of an object, in an order that does not depend on their original order. */
const sortedEntries = (value: object): ReadonlyArray<readonly [string, unknown]> =>
  // The second object is needed because engines put integer-like keys first.
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
 * Serializes `value` as JSON with sorted keys. Uses its own stack, so that deep nesting, which a caller controls,
 * cannot overflow the engine's stack.
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
 * Hashes an operation and its JSON arguments, independent of the order of keys. The hash covers the arguments before
 * defaults are applied: null and a missing argument differ, and a changed default does not change the hash.
 */
export const fingerprint = (operation: string, args: unknown): Effect.Effect<string> =>
  sha256(canonicalJson([operation, args]))
