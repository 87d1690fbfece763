import type { Message } from "@tapeline/core"
import { Predicate } from "effect"
import { kinds, problemType, type RefusalCode } from "./kinds.ts"
import { answers, type Refusal } from "./refusals.ts"

/**
 * Returns the problem schemas of these codes, for the `error` of an operation or of a middleware. Code that fails with
 * an undeclared error does not compile.
 */
export const refusedWith = <const Code extends RefusalCode>(
  ...codes: ReadonlyArray<Code>
): ReadonlyArray<(typeof kinds)[Code]["schema"]> => codes.map((code) => kinds[code].schema)

/** A problem as it is sent: RFC 9457, with the fields of its code in addition to the common ones. */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: RefusalCode
  readonly request_id: string
}

/** A problem with its headers. */
export interface SaidProblem {
  readonly problem: Problem
  readonly headers: Readonly<Record<string, string>>
}

type Say = (message: Message) => string

const problemFrom = (tag: Refusal["_tag"], told: object, requestId: string, say: Say): SaidProblem => {
  const { code, problem } = answers[tag]
  // The table's entry of a tag accepts the fields of that tag's error, which a union type cannot express.
  const parts = (problem as (told: object, say: Say) => {
    readonly detail: Message
    readonly fields?: Readonly<Record<string, unknown>>
    readonly headers?: Readonly<Record<string, string>>
  })(told, say)
  const { status, title } = kinds[code]
  return {
    problem: {
      type: problemType + code,
      title: say(title),
      status,
      detail: say(parts.detail),
      code,
      request_id: requestId,
      ...parts.fields
    },
    headers: parts.headers ?? {}
  }
}

/** Builds the response to an error, in the language of `say`. */
export const problemOf = (refusal: Refusal, requestId: string, say: Say): SaidProblem =>
  problemFrom(refusal._tag, refusal, requestId, say)

/** Returns the warning to log for an error; undefined if the operator need not know about it. */
export const warningOf = (refusal: Refusal): string | undefined => {
  const answer = answers[refusal._tag]
  return "warning" in answer ? answer.warning : undefined
}

const isTag = (tag: string): tag is Refusal["_tag"] => Object.hasOwn(answers, tag)

/** Returns a sample problem of each error in the table. */
export const sampleProblems = (requestId: string, say: Say): ReadonlyArray<Problem> =>
  Object.keys(answers).filter(isTag).map((tag) => problemFrom(tag, answers[tag].sample, requestId, say).problem)

/** Whether the table of errors has a response to this error. */
export const isRefusal = (error: unknown): error is Refusal =>
  Predicate.hasProperty(error, "_tag") && typeof error._tag === "string" && isTag(error._tag)
