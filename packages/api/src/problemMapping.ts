import type { InvalidKey, Message } from "@tapeline/core"
import type { Schema } from "effect"
import type { ProblemCode, ProblemKinds } from "./problemKinds.ts"

type FieldsOf<Code extends ProblemCode> = Schema.Struct.Type<ProblemKinds[Code]["fields"]>
type HeadersOf<Code extends ProblemCode> = { readonly [H in ProblemKinds[Code]["headers"][number]]: string }

/** The variable parts of a problem: the message, and the additional fields and headers of the error code. */
type ProblemParts<Code extends ProblemCode> =
  & { readonly detail: Message }
  & ({} extends FieldsOf<Code> ? {} : { readonly fields: FieldsOf<Code> })
  & ({} extends HeadersOf<Code> ? {} : { readonly headers: HeadersOf<Code> })

/** The fields of an error, without the fields that every error inherits. */
type ErrorFields<R> = Omit<R, keyof InvalidKey>

type FormatMessage = (message: Message) => string

/** Maps an error to an error code and to the variable parts of its problem. */
export type ProblemMapping<R> = {
  readonly [Code in ProblemCode]: {
    readonly code: Code
    readonly sample: ErrorFields<R>
    readonly problem: (error: ErrorFields<R>, format: FormatMessage) => ProblemParts<Code>
    /** The warning that the service logs for the rejected request; undefined to log nothing. */
    readonly warning?: string
  }
}[ProblemCode]
