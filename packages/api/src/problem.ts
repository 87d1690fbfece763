import type { Message } from "@tapeline/core"
import { Predicate, Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { answers, kinds, type Refusal, type RefusalCode } from "./refusals.ts"

/** Prefix of a problem's `type`; its code follows. */
const problemType = "urn:tapeline:problem:"

const pascalCase = (code: string): string =>
  code.split("_").map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("")

const problemSchema = <Code extends RefusalCode>(code: Code) => {
  const { description, fields, status } = kinds[code]
  return Schema.Struct({
    type: Schema.Literal(`${problemType}${code}`),
    title: Schema.String,
    status: Schema.Literal(status),
    detail: Schema.String.annotate({ description: "What to change, in the language of `x-lang`" }),
    code: Schema.Literal(code),
    request_id: Schema.String,
    ...fields
  }).annotate({ identifier: `${pascalCase(code)}Problem`, description }).pipe(
    HttpApiSchema.asJson({ contentType: "application/problem+json" }),
    HttpApiSchema.status(status)
  )
}

type ProblemSchemas = { readonly [Code in RefusalCode]: ReturnType<typeof problemSchema<Code>> }

/** The schema of each code's problem. */
export const problemSchemas =
  // `fromEntries` forgets which key goes with which value; each is made from its own code.
  Object.fromEntries(
    // `keys` forgets whose keys they are.
    Object.keys(kinds).map((code) => [code, problemSchema(code as RefusalCode)])
  ) as unknown as ProblemSchemas

/** What any request may be refused with, before an operation has it. */
export const edgeCodes = ["invalid_request", "request_timeout", "headers_too_large", "internal", "unavailable"] as const

/** The schemas of the problems of these codes, for an operation's `error`. */
export const refusedWith = <const Codes extends ReadonlyArray<RefusalCode>>(
  ...codes: Codes
): { readonly [I in keyof Codes]: ProblemSchemas[Codes[I]] } =>
  // A map over a tuple keeps its places, which the type of `map` does not say.
  codes.map((code) => problemSchemas[code]) as unknown as { readonly [I in keyof Codes]: ProblemSchemas[Codes[I]] }

/** A problem as it travels: RFC 9457, with the fields of its code beside the common ones. */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: RefusalCode
  readonly request_id: string
}

/** What answers a refusal, said by `say`. */
export const problemOf = (
  refusal: Refusal,
  requestId: string,
  say: (message: Message) => string
): { readonly problem: Problem; readonly headers: Readonly<Record<string, string>> } => {
  const { code, problem } = answers[refusal._tag]
  // The table's entry of a tag takes the refusal of that tag; a union cannot say so.
  const parts = (problem as (refusal: Refusal, say: (message: Message) => string) => {
    readonly detail: Message
    readonly fields?: Readonly<Record<string, unknown>>
    readonly headers?: Readonly<Record<string, string>>
  })(refusal, say)
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

/** True for whatever the table of refusals has an answer to. */
export const isRefusal = (error: unknown): error is Refusal =>
  Predicate.hasProperty(error, "_tag") && typeof error._tag === "string" && Object.hasOwn(answers, error._tag)
