import type {
  AccountClosed,
  AccountSuspended,
  AddressNotAllowed,
  AdminScopeRequired,
  AdminTokenNameTaken,
  CallRejection,
  ExpiryPassed,
  ExternalIdTaken,
  InvalidKey,
  InvalidSession,
  KeyEnded,
  KeyLimit,
  LinkRefused,
  Message,
  PlanNotConfigured,
  RateLimited,
  RotationRunning,
  StartAnswerError,
  UnknownAccount,
  UnknownAdminToken,
  UnknownKey,
  UnknownPlan,
  UnknownSession
} from "@tapeline/core"
import type { Schema } from "effect"
import type { ProblemCode, ProblemKinds } from "./problemKinds.ts"
import type * as Request from "./requestErrors.ts"

/** All errors with which the service can reject a request. */
export type Rejection =
  | CallRejection
  | StartAnswerError
  | AccountClosed
  | AccountSuspended
  | AddressNotAllowed
  | AdminScopeRequired
  | AdminTokenNameTaken
  | ExternalIdTaken
  | InvalidKey
  | InvalidSession
  | LinkRefused
  | RateLimited
  | UnknownAccount
  | UnknownAdminToken
  | UnknownKey
  | UnknownPlan
  | UnknownSession
  | ExpiryPassed
  | PlanNotConfigured
  | KeyEnded
  | KeyLimit
  | RotationRunning
  | InstanceType<(typeof Request)[keyof typeof Request]>

type FieldsOf<Code extends ProblemCode> = Schema.Struct.Type<ProblemKinds[Code]["fields"]>
type HeadersOf<Code extends ProblemCode> = { readonly [H in ProblemKinds[Code]["headers"][number]]: string }

/** The variable parts of a problem: the message, and the additional fields and headers of the error code. */
type ProblemParts<Code extends ProblemCode> =
  & { readonly detail: Message }
  & ({} extends FieldsOf<Code> ? {} : { readonly fields: FieldsOf<Code> })
  & ({} extends HeadersOf<Code> ? {} : { readonly headers: HeadersOf<Code> })

/** The fields of an error, without the fields that every error inherits. */
type ErrorFields<R extends Rejection> = Omit<R, keyof InvalidKey>

type FormatMessage = (message: Message) => string

/** The conversion of an error to a problem. */
export type ProblemMapping<R extends Rejection> = {
  readonly [Code in ProblemCode]: {
    readonly code: Code
    readonly sample: ErrorFields<R>
    readonly problem: (error: ErrorFields<R>, format: FormatMessage) => ProblemParts<Code>
    /** The warning that the service logs for the rejected request; undefined to log nothing. */
    readonly warning?: string
  }
}[ProblemCode]
