import type { Message } from "@tapeline/core"
import { Predicate } from "effect"
import { type ProblemCode, problemKinds, problemTypePrefix } from "./problemKinds.ts"
import { problemMappings, type Rejection } from "./problemMappings.ts"

/**
 * Returns the problem schemas of these codes, for the `error` of an operation or of a middleware. Code that fails with
 * an undeclared error does not compile.
 */
export const problemSchemas = <const Code extends ProblemCode>(
  ...codes: ReadonlyArray<Code>
): ReadonlyArray<(typeof problemKinds)[Code]["schema"]> => codes.map((code) => problemKinds[code].schema)

/** A problem as it is sent: RFC 9457, with the fields of its code in addition to the common ones. */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: ProblemCode
  readonly request_id: string
}

/** A problem with its headers. */
export interface ProblemResponse {
  readonly problem: Problem
  readonly headers: Readonly<Record<string, string>>
}

type FormatMessage = (message: Message) => string

const makeProblemOfTag = (
  tag: Rejection["_tag"],
  error: object,
  requestId: string,
  format: FormatMessage
): ProblemResponse => {
  const { code, problem } = problemMappings[tag]
  // The table's entry of a tag accepts the fields of that tag's error, which a union type cannot express.
  const variableParts = (problem as (told: object, say: FormatMessage) => {
    readonly detail: Message
    readonly fields?: Readonly<Record<string, unknown>>
    readonly headers?: Readonly<Record<string, string>>
  })(error, format)
  const { status, title } = problemKinds[code]
  return {
    problem: {
      type: problemTypePrefix + code,
      title: format(title),
      status,
      detail: format(variableParts.detail),
      code,
      request_id: requestId,
      ...variableParts.fields
    },
    headers: variableParts.headers ?? {}
  }
}

/** Builds the response to an error, in the language of `say`. */
export const makeProblem = (rejection: Rejection, requestId: string, format: FormatMessage): ProblemResponse =>
  makeProblemOfTag(rejection._tag, rejection, requestId, format)

/** Returns the warning to log for an error; undefined if the operator need not know about it. */
export const logWarningOf = (rejection: Rejection): string | undefined => {
  const mapping = problemMappings[rejection._tag]
  return "warning" in mapping ? mapping.warning : undefined
}

const isTag = (tag: string): tag is Rejection["_tag"] => Object.hasOwn(problemMappings, tag)

/** Returns a sample problem of each error in the table. */
export const sampleProblems = (requestId: string, format: FormatMessage): ReadonlyArray<Problem> =>
  Object.keys(problemMappings).filter(isTag).map((tag) =>
    makeProblemOfTag(tag, problemMappings[tag].sample, requestId, format).problem
  )

/** Whether the table of errors has a response to this error. */
export const isRejection = (error: unknown): error is Rejection =>
  Predicate.hasProperty(error, "_tag") && typeof error._tag === "string" && isTag(error._tag)
