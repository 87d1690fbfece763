import type { Principal } from "../access/account.ts"
import type { Reservation } from "../credits/LedgerStore.ts"
import type { Issue } from "../messages/issue.ts"
import type { Language } from "../messages/languageCode.ts"
import type { ArgumentsOf, ToolSpecification } from "../tool/specification.ts"

/** The fields of a call except the tool and its arguments. */
export interface CallOptions {
  readonly principal: Principal
  /** The language of messages; English by default. */
  readonly language?: Language | undefined
  /** The same request under the same key of an account is answered once and charged once. */
  readonly idempotencyKey?: string | undefined
  /** The payer of the call. If omitted, the call reserves its own credits. */
  readonly payer?: Payer | undefined
}

/** A call by name, as transports make it. Its arguments are not checked yet. */
export interface ToolCall extends CallOptions {
  readonly name: string
  readonly arguments: unknown
  /**
   * The issues that a transport found while it read the request, including issues of its texts. The call is rejected
   * with them after the checks of tool and scope. If omitted, the texts of the arguments are checked here.
   */
  readonly issues?: ReadonlyArray<Issue> | undefined
}

/** A call of a tool that the caller knows at compile time. Its arguments have the types of the specification. */
export interface TypedCall<S extends ToolSpecification> extends CallOptions {
  readonly arguments: ArgumentsOf<S>
}

/**
 * The reservation that pays for a call, of the same account: that of an answer or of another call. Nothing more is
 * reserved, and the call cannot have an idempotency key. The caller guarantees that the reservation is still active; it
 * is not looked up. `call` identifies the call within the answer, and must be the same when the answer repeats the
 * call.
 */
export interface Payer {
  readonly reservation: Reservation
  readonly call: string
  /** The conversation of the answer, if the answer belongs to one. */
  readonly conversation?: number | undefined
}
