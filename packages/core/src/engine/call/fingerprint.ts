import type { Effect } from "effect"
import { sha256 } from "../access/hash.ts"

/** One step of serialization: append a finished text, serialize a value, or end an object. */
type SerializationStep =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Value"; readonly value: unknown }
  | { readonly _tag: "Left"; readonly value: object }

const textStep = (text: string): SerializationStep => ({ _tag: "Text", text })

/** Returns the entries of an object in an order that is independent of their insertion order. */
const sortedEntries = (value: object): ReadonlyArray<readonly [string, unknown]> =>
  // The entries are those of a new object, because JavaScript engines put integer-like keys before all other keys.
  Object.entries(Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1)))
    .filter(([, entry]) => JSON.stringify(typeof entry === "object" ? null : entry) !== undefined)

const stepsOf = (value: object): ReadonlyArray<SerializationStep> =>
  Array.isArray(value)
    ? [
      textStep("["),
      ...value.flatMap((
        item: unknown,
        i
      ): ReadonlyArray<SerializationStep> => [textStep(i === 0 ? "" : ","), { _tag: "Value", value: item }]),
      textStep("]")
    ]
    : [
      textStep("{"),
      ...sortedEntries(value).flatMap(([key, entry], i): ReadonlyArray<SerializationStep> => [
        textStep(`${i === 0 ? "" : ","}${JSON.stringify(key)}:`),
        { _tag: "Value", value: entry }
      ]),
      textStep("}")
    ]

/**
 * Serializes `value` as JSON with sorted keys. The function uses an explicit stack, so nesting of any depth is safe.
 */
const canonicalJson = (value: unknown): string => {
  const output: Array<string> = []
  const stack: Array<SerializationStep> = [{ _tag: "Value", value }]
  const ancestors = new Set<object>()
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    if (step._tag === "Text") output.push(step.text)
    else if (step._tag === "Left") ancestors.delete(step.value)
    else if (typeof step.value !== "object" || step.value === null) output.push(JSON.stringify(step.value) ?? "null")
    else {
      if (ancestors.has(step.value)) throw new TypeError("arguments with circular references are not JSON")
      ancestors.add(step.value)
      stack.push({ _tag: "Left", value: step.value })
      for (const child of stepsOf(step.value).toReversed()) stack.push(child)
    }
  }
  return output.join("")
}

/**
 * Returns a hash of an operation and its JSON arguments, independent of the order of keys. The hash is computed before
 * defaults are applied. Therefore, an argument of null and a missing argument have different hashes.
 */
export const fingerprint = (operation: string, args: unknown): Effect.Effect<string> =>
  sha256(canonicalJson([operation, args]))
