import type { Message } from "@tapeline/core"
import { Predicate } from "effect"
import { type ProblemCode, problemKinds, problemTypePrefix } from "./problemKinds.ts"
import { problemMappings, type Rejection } from "./problemMappings.ts"

/** Returns the schemas of the problem responses with the given error codes. */
export const problemSchemas = <const Code extends ProblemCode>(
  ...codes: ReadonlyArray<Code>
): ReadonlyArray<(typeof problemKinds)[Code]["schema"]> => codes.map((code) => problemKinds[code].schema)

/** An RFC 9457 problem that the service returns. Some error codes add fields to the problem. */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: ProblemCode
  readonly request_id: string
}

/** An RFC 9457 problem with the additional headers of the error response. */
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
  // The mapping under `tag` accepts exactly the error with the tag `tag`, but TypeScript cannot express the relation
  // for a union type.
  const variableParts = (problem as (error: object, format: FormatMessage) => {
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

/** Builds the problem response to a rejected request, with texts in the language of `format`. */
export const makeProblem = (rejection: Rejection, requestId: string, format: FormatMessage): ProblemResponse =>
  makeProblemOfTag(rejection._tag, rejection, requestId, format)

/** Returns the warning to log for a rejected request, or undefined if the operator needs no warning. */
export const logWarningOf = (rejection: Rejection): string | undefined => {
  const mapping = problemMappings[rejection._tag]
  return "warning" in mapping ? mapping.warning : undefined
}

const isTag = (tag: string): tag is Rejection["_tag"] => Object.hasOwn(problemMappings, tag)

/** Returns one sample problem for each error in `problemMappings`. */
export const sampleProblems = (requestId: string, format: FormatMessage): ReadonlyArray<Problem> =>
  Object.keys(problemMappings).filter(isTag).map((tag) =>
    makeProblemOfTag(tag, problemMappings[tag].sample, requestId, format).problem
  )

/** Returns whether `problemMappings` contains a response to the error. */
export const isRejection = (error: unknown): error is Rejection =>
  Predicate.hasProperty(error, "_tag") && typeof error._tag === "string" && isTag(error._tag)
