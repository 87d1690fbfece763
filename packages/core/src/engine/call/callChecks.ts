import { Schema } from "effect"
import type { Issue } from "../messages/issue.ts"
import { formatMessage } from "../messages/language.ts"
import type { Language } from "../messages/languageCode.ts"
import { checkTexts } from "../text/text.ts"
import { IdempotencyKey } from "./idempotencyKey.ts"
import type { ToolCall } from "./request.ts"

/** The maximum nesting depth of arguments. No tool has arguments with deeper nesting. */
export const maxDepth = 64

/**
 * Returns an issue for every text or object key that no store can store, such as a text with NUL or lone surrogates.
 * Returns null if the value is nested deeper than `maxDepth`.
 */
export const findTextIssues = (value: unknown, language: Language): ReadonlyArray<Issue> | null => {
  const report = checkTexts(value, maxDepth)
  if (report._tag === "TooDeep") return null
  if (report.faults.length === 0) return []
  const expected = formatMessage({ key: "expected_text" }, language)
  const message = formatMessage({ key: "issue_expected", params: { expected } }, language)
  return report.faults.map(({ path }) => ({ path, message }))
}

const findArgumentIssues = (args: unknown, language: Language): ReadonlyArray<Issue> =>
  findTextIssues(args, language) ??
    [{ path: [], message: formatMessage({ key: "body_too_deep", params: { limit: maxDepth } }, language) }]

const isIdempotencyKey = Schema.is(IdempotencyKey)

const findKeyIssues = (key: string, language: Language): ReadonlyArray<Issue> =>
  isIdempotencyKey(key)
    ? []
    : [{ path: ["Idempotency-Key"], message: formatMessage({ key: "invalid_idempotency_key" }, language) }]

/**
 * Returns the issues in the texts and the idempotency key of a call. Decoding by the tool's schema finds further issues
 * later.
 */
export const callIssues = (
  { arguments: args, idempotencyKey, issues }: ToolCall,
  language: Language
): ReadonlyArray<Issue> => {
  const issuesOfArguments = issues ?? findArgumentIssues(args, language)
  return idempotencyKey === undefined
    ? issuesOfArguments
    : [...findKeyIssues(idempotencyKey, language), ...issuesOfArguments]
}

/** Returns whether `value` is plain JSON, so that serialization and parsing return an equal value. */
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
      return isPlainObject(value) && Object.values(value).every(isJson)
    default:
      return false
  }
}

const isPlainObject = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
