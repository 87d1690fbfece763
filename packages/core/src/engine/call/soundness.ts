import { Schema } from "effect"
import { firstIssues, type Issue } from "../messages/issue.ts"
import { say } from "../messages/language.ts"
import type { Language } from "../messages/languageCode.ts"
import { readTexts } from "../text/text.ts"
import { IdempotencyKey } from "./idempotencyKey.ts"
import type { ToolCall } from "./request.ts"

/** Levels that arguments may be nested. No schema of a tool has more than a handful. */
export const maxDepth = 64

/**
 * Every text of a JSON value that no store could keep (NUL, halves of surrogate pairs), keys too; null when the value
 * is nested deeper than `maxDepth`, and was not read.
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

/** What is wrong with a call before the tool's schema reads its arguments. */
export const issuesOf = (
  { arguments: args, idempotencyKey, issues }: ToolCall,
  language: Language
): ReadonlyArray<Issue> => {
  const ofArguments = issues ?? argumentIssues(args, language)
  return idempotencyKey === undefined ? ofArguments : [...keyIssues(idempotencyKey, language), ...ofArguments]
}

/** Whether a value is what JSON can say, so that what is charged is what the caller gets. */
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
