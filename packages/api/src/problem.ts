import type { Message } from "@tapeline/core"
import { Predicate } from "effect"
import { kinds, problemType, type RefusalCode } from "./kinds.ts"
import { answers, type Refusal } from "./refusals.ts"

/**
 * The schemas of the problems of these codes, for the `error` of an operation or of a middleware. Whoever fails with a
 * refusal that is not declared where it is raised does not compile.
 */
export const refusedWith = <const Code extends RefusalCode>(
  ...codes: ReadonlyArray<Code>
): ReadonlyArray<(typeof kinds)[Code]["schema"]> => codes.map((code) => kinds[code].schema)

/** A problem as it travels: RFC 9457, with the fields of its code beside the common ones. */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: RefusalCode
  readonly request_id: string
}

/** A problem with the headers that go with it. */
export interface SaidProblem {
  readonly problem: Problem
  readonly headers: Readonly<Record<string, string>>
}

type Say = (message: Message) => string

const problemFrom = (tag: Refusal["_tag"], told: object, requestId: string, say: Say): SaidProblem => {
  const { code, problem } = answers[tag]
  // The table's entry of a tag takes what the refusal of that tag tells; a union cannot say so.
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

/** What answers a refusal, said by `say`. */
export const problemOf = (refusal: Refusal, requestId: string, say: Say): SaidProblem =>
  problemFrom(refusal._tag, refusal, requestId, say)

/** What the log is told of a refusal that its operator should know of. */
export const warningOf = (refusal: Refusal): string | undefined => {
  const answer = answers[refusal._tag]
  return "warning" in answer ? answer.warning : undefined
}

const isTag = (tag: string): tag is Refusal["_tag"] => Object.hasOwn(answers, tag)

/** One problem of each refusal that there is, by the refusal's tag. */
export const sampleProblems = (requestId: string, say: Say): ReadonlyArray<Problem> =>
  Object.keys(answers).filter(isTag).map((tag) => problemFrom(tag, answers[tag].sample, requestId, say).problem)

/** True for whatever the table of refusals has an answer to. */
export const isRefusal = (error: unknown): error is Refusal =>
  Predicate.hasProperty(error, "_tag") && typeof error._tag === "string" && isTag(error._tag)
