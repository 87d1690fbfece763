import { SchemaIssue } from "effect"
import type { Message } from "./dictionary.ts"
import { type Language, say } from "./language.ts"

/** One thing that is wrong with a request, and where: a path from the top of the body. */
export interface Issue {
  readonly path: ReadonlyArray<string | number>
  readonly message: string
}

const isMessage = (u: unknown): u is Message => typeof u === "object" && u !== null && "key" in u

const bound = (value: unknown): string => String(value)

/** What a failed check expected, as a message, from what the check says of itself. */
const expectation = (annotations: Readonly<Record<string, unknown>> | undefined): Message => {
  if (isMessage(annotations?.["expectedMessage"])) return annotations["expectedMessage"]
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
        params: { minimum: bound(payload["minimum"]), maximum: bound(payload["maximum"]) }
      }
    case "effect/schema/isGreaterThan":
      return { key: "expected_greater_than", params: { bound: bound(payload["exclusiveMinimum"]) } }
    case "effect/schema/isGreaterThanOrEqualTo":
      return { key: "expected_at_least", params: { bound: bound(payload["minimum"]) } }
    case "effect/schema/isLessThanOrEqualTo":
      return { key: "expected_at_most", params: { bound: bound(payload["maximum"]) } }
    case "effect/schema/isBetweenLength":
      return {
        key: "expected_length",
        params: { minimum: bound(payload["minimum"]), maximum: bound(payload["maximum"]) }
      }
    case "effect/schema/isMinLength":
      return { key: "expected_at_least", params: { bound: bound(payload["minLength"]) } }
    case "effect/schema/isUnique":
      return { key: "expected_distinct" }
    case "effect/schema/isMaxLength":
      return { key: "expected_at_most", params: { bound: bound(payload["maxLength"]) } }
    case "effect/schema/isPattern":
      return { key: "expected_pattern", params: { pattern: bound(payload["source"]) } }
    default:
      return { key: "expected_valid" }
  }
}

const typeExpectation = (ast: SchemaIssue.InvalidType["ast"]): Message => {
  switch (ast._tag) {
    case "String":
      return { key: "expected_string" }
    case "Number":
      return { key: "expected_number" }
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
    case "Union":
      return ast.types.every((type) => type._tag === "Literal")
        ? {
          key: "expected_one_of",
          params: { options: ast.types.map((type) => "literal" in type ? JSON.stringify(type.literal) : "").join(", ") }
        }
        : { key: "expected_valid" }
    default:
      return { key: "expected_valid" }
  }
}

const expected = (message: Message, language: Language): string =>
  say({ key: "issue_expected", params: { expected: say(message, language) } }, language)

const formatters = new Map<
  Language,
  (
    issue: SchemaIssue.Issue
  ) => {
    readonly issues: ReadonlyArray<
      {
        readonly message: string
        readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined
      }
    >
  }
>()

const formatter = (language: Language) => {
  const known = formatters.get(language)
  if (known !== undefined) return known
  const made = SchemaIssue.makeFormatterStandardSchemaV1({
    leafHook: (leaf) => {
      switch (leaf._tag) {
        case "MissingKey":
          return say({ key: "issue_missing" }, language)
        case "UnexpectedKey":
          return say({ key: "issue_unexpected" }, language)
        case "InvalidType":
          return expected(typeExpectation(leaf.ast), language)
        default:
          return expected({ key: "expected_valid" }, language)
      }
    },
    checkHook: (failed) => expected(expectation(failed.filter.annotations), language)
  })
  formatters.set(language, made)
  return made
}

/** Every issue of a failed decoding, said in `language`. */
export const sayIssues = (issue: SchemaIssue.Issue, language: Language): ReadonlyArray<Issue> =>
  formatter(language)(issue).issues.map(({ message, path }) => ({
    path: (path ?? []).map((segment) => {
      const key = typeof segment === "object" ? segment.key : segment
      return typeof key === "symbol" ? String(key) : key
    }),
    message
  }))
