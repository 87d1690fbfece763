import { Schema } from "effect"
import { firstIssues, type Issue } from "../messages/issue.ts"
import { say } from "../messages/language.ts"
import type { Language } from "../messages/languageCode.ts"
import { readTexts } from "../text/text.ts"
import { IdempotencyKey } from "./idempotencyKey.ts"
import type { ToolCall } from "./request.ts"

/** The maximum nesting of arguments. The schemas of tools need only a few levels. */
export const maxDepth = 64

/**
 * Returns an issue for every text of a JSON value, including keys, that no store can keep (NUL, lone surrogates).
 * Returns null for a value that is nested deeper than `maxDepth`, which is not checked.
 */
export const textIssues = (value: unknown, language: Language): ReadonlyArray<Issue> | null => {
  const report = readTexts(value, maxDepth)
  if (report._tag === "TooDeep") return null
  if (report.faults.length === 0) return []
  const expected = say({ key: "expected_text" }, language)
  const message = say({ key: "issue_expected", params: { expected } }, language)
  return firstIssues(report.faults.map(({ path }) => ({ path, message })), language)
}

const argumentIssues = (args: unknown, language: Language): ReadonlyArray<Issue> =>
  textIssues(args, language) ??
    [{ path: [], message: say({ key: "body_too_deep", params: { limit: maxDepth } }, language) }]

const isKey = Schema.is(IdempotencyKey)

const keyIssues = (key: string, language: Language): ReadonlyArray<Issue> =>
  isKey(key)
    ? []
    : [{ path: ["Idempotency-Key"], message: say({ key: "invalid_idempotency_key" }, language) }]

/** Returns the issues that are found before the tool's schema decodes the arguments. */
export const issuesOf = (
  { arguments: args, idempotencyKey, issues }: ToolCall,
  language: Language
): ReadonlyArray<Issue> => {
  const ofArguments = issues ?? argumentIssues(args, language)
  return idempotencyKey === undefined ? ofArguments : [...keyIssues(idempotencyKey, language), ...ofArguments]
}

/** True if `value` is plain JSON, so that the caller receives exactly the result that was charged. */
export const isJson = (value: unknown): boolean => {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true
    case "number":
      return Number.isFinite(value)
    case "object":
      if (value === null) return true
      if (Array.isArray(value)) return value.every(isJson)
      return isPlain(value) && Object.values(value).every(isJson)
    default:
      return false
  }
}

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
