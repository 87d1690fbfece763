import { SchemaAST, type SchemaIssue } from "effect"
import { shorten } from "../text/formatting.ts"
import { isMessage, type Message } from "./dictionary.ts"
import { formatMessage } from "./language.ts"
import type { Language } from "./languageCode.ts"

/** A fault of a request, and its path from the top of the request body. */
export interface Issue {
  readonly path: ReadonlyArray<string | number>
  readonly message: string
}

const boundText = (value: unknown): string => String(value)

const expectationOf = (annotations: Readonly<Record<string, unknown>> | undefined): Message => {
  if (isMessage(annotations?.["expectedMessage"])) return annotations["expectedMessage"]
  // Effect's own checks have the annotation `representation`.
  const representation = annotations?.["representation"] as
    | { readonly id: string; readonly payload: Readonly<Record<string, unknown>> | null }
    | undefined
  const payload = representation?.payload ?? {}
  switch (representation?.id) {
    case "effect/schema/isInt":
      return { key: "expected_integer" }
    case "effect/schema/isFinite":
      return { key: "expected_number" }
    case "effect/schema/isBetween":
      return {
        key: "expected_between",
        params: { minimum: boundText(payload["minimum"]), maximum: boundText(payload["maximum"]) }
      }
    case "effect/schema/isGreaterThan":
      return { key: "expected_greater_than", params: { bound: boundText(payload["exclusiveMinimum"]) } }
    case "effect/schema/isGreaterThanOrEqualTo":
      return { key: "expected_at_least", params: { bound: boundText(payload["minimum"]) } }
    case "effect/schema/isLessThanOrEqualTo":
      return { key: "expected_at_most", params: { bound: boundText(payload["maximum"]) } }
    case "effect/schema/isBetweenLength":
      return {
        key: "expected_length",
        params: { minimum: boundText(payload["minimum"]), maximum: boundText(payload["maximum"]) }
      }
    case "effect/schema/isMinLength":
      return { key: "expected_at_least", params: { bound: boundText(payload["minLength"]) } }
    case "effect/schema/isUnique":
      return { key: "expected_distinct" }
    case "effect/schema/isMaxLength":
      return { key: "expected_at_most", params: { bound: boundText(payload["maxLength"]) } }
    case "effect/schema/isPattern":
      return { key: "expected_pattern", params: { pattern: boundText(payload["source"]) } }
    default:
      return { key: "expected_valid" }
  }
}

const isInteger = ({ checks }: SchemaIssue.InvalidType["ast"]): boolean =>
  checks?.some(({ annotations }) => expectationOf(annotations).key === "expected_integer") ?? false

const knownNames = (ast: SchemaIssue.UnexpectedKey["ast"]): string =>
  ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)).join(", ") : ""

const typeExpectation = (ast: SchemaIssue.InvalidType["ast"]): Message => {
  if (isMessage(ast.annotations?.["expectedMessage"])) return ast.annotations["expectedMessage"]
  switch (ast._tag) {
    case "String":
      return { key: "expected_string" }
    case "Number":
      return isInteger(ast) ? { key: "expected_integer" } : { key: "expected_number" }
    case "Boolean":
      return { key: "expected_boolean" }
    case "Arrays":
      return { key: "expected_array" }
    case "Objects":
      return { key: "expected_object" }
    case "Null":
      return { key: "expected_null" }
    case "Literal":
      return { key: "expected_one_of", params: { options: JSON.stringify(ast.literal) } }
    case "Union": {
      // A null type only means that the argument can be omitted, so it does not help a caller that sent another value.
      // Callers send the encoded form: a time is a string, whatever the string decodes to.
      const types = ast.types.filter(({ _tag }) => _tag !== "Null").map((type) => SchemaAST.toEncoded(type))
      if (types.length === 1) return typeExpectation(types[0]!)
      return types.every((type) => type._tag === "Literal")
        ? {
          key: "expected_one_of",
          params: { options: types.map((type) => "literal" in type ? JSON.stringify(type.literal) : "").join(", ") }
        }
        : { key: "expected_valid" }
    }
    default:
      return { key: "expected_valid" }
  }
}

const expectedText = (message: Message, language: Language): string =>
  formatMessage({ key: "issue_expected", params: { expected: formatMessage(message, language) } }, language)

const leafMessage = (issue: SchemaIssue.Leaf | SchemaIssue.AnyOf, language: Language): string => {
  switch (issue._tag) {
    case "MissingKey":
      return formatMessage({ key: "issue_missing" }, language)
    case "UnexpectedKey":
      return formatMessage({ key: "issue_unexpected", params: { known: knownNames(issue.ast) } }, language)
    case "InvalidType":
    case "AnyOf":
      return expectedText(typeExpectation(issue.ast), language)
    default:
      return expectedText({ key: "expected_valid" }, language)
  }
}

/**
 * Returns the leaves of a schema issue with their messages. If a check fails, its message replaces the messages of the
 * leaves within the check. Effect's formatter is not used, because its message for a union without a match is always
 * English.
 */
const collectLeaves = (
  issue: SchemaIssue.Issue,
  path: ReadonlyArray<PropertyKey>,
  language: Language,
  filterMessage?: string
): ReadonlyArray<{ readonly path: ReadonlyArray<PropertyKey>; readonly message: string }> => {
  switch (issue._tag) {
    case "Filter":
      return collectLeaves(
        issue.issue,
        path,
        language,
        filterMessage ?? expectedText(expectationOf(issue.filter.annotations), language)
      )
    case "Encoding":
      return collectLeaves(issue.issue, path, language, filterMessage)
    case "Pointer":
      return collectLeaves(issue.issue, [...path, ...issue.path], language, filterMessage)
    case "Composite":
      return issue.issues.flatMap((child) => collectLeaves(child, path, language, filterMessage))
    case "AnyOf":
      return issue.issues.length === 0
        ? [{ path, message: filterMessage ?? leafMessage(issue, language) }]
        : issue.issues.flatMap((child) => collectLeaves(child, path, language, filterMessage))
    default:
      return [{ path, message: filterMessage ?? leafMessage(issue, language) }]
  }
}

/** The maximum number of issues in one error. Without a maximum, a malicious body could cause one issue per byte. */
const maxIssues = 50

const shortenPath = ({ message, path }: Issue): Issue => ({
  path: path.map((name) => typeof name === "string" ? shorten(name) : name),
  message
})

/** Returns the first 50 issues with shortened paths, and one issue with the number of omitted issues. */
export const limitIssues = (issues: ReadonlyArray<Issue>, language: Language): ReadonlyArray<Issue> =>
  issues.length <= maxIssues
    ? issues.map(shortenPath)
    : [
      ...issues.slice(0, maxIssues).map(shortenPath),
      {
        path: [],
        message: formatMessage({ key: "issue_more", params: { count: issues.length - maxIssues } }, language)
      }
    ]

/** Returns all issues of a failed decoding, with messages in `language`. */
export const formatIssues = (issue: SchemaIssue.Issue, language: Language): ReadonlyArray<Issue> =>
  collectLeaves(issue, [], language).map(({ message, path }) => ({
    path: path.map((key) => typeof key === "symbol" ? String(key) : key),
    message
  }))
