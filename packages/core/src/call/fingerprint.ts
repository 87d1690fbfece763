import type { Effect } from "effect"
import { sha256 } from "../access/hash.ts"

const canonical = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(canonical)
    : typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1).map(([k, v]) => [k, canonical(v)]))
    : value

/** A digest of an operation and its JSON arguments that does not depend on the order of their keys. */
export const fingerprint = (operation: string, args: unknown): Effect.Effect<string> =>
  sha256(JSON.stringify([operation, canonical(args)]))
