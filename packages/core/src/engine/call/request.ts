import type { Principal } from "../access/account.ts"
import type { Reservation } from "../credits/reservation.ts"
import type { Issue } from "../messages/issue.ts"
import type { Language } from "../messages/languageCode.ts"
import type { ArgumentsOf, ToolSpecification } from "../tool/specification.ts"

/** The origin of a call that the analyst proposed and the user accepted. */
export interface AcceptedProposal {
  /** The conversation of the answer that proposed the call. */
  readonly conversation: number
  /** The version of the record that the call changes, or null if the call changes no existing record. */
  readonly recordVersion: string | null
  /** The time for which the idempotency key of the call is kept, in ms. */
  readonly retentionMs: number
}

/** The fields of a call except the tool and its arguments. */
export interface CallOptions {
  readonly principal: Principal
  /** The language of messages; English by default. */
  readonly language?: Language | undefined
  /** The idempotency key of the call, under which repeated requests of the account are charged once. */
  readonly idempotencyKey?: string | undefined
  /** The payer of the call. A call without a payer reserves its own credits. */
  readonly payer?: Payer | undefined
  /** The proposal that the call carries out. Transports must not set this field. */
  readonly proposal?: AcceptedProposal | undefined
}

/** A call by tool name, whose arguments are not checked yet. */
export interface ToolCall extends CallOptions {
  readonly name: string
  readonly arguments: unknown
  /**
   * The issues that the transport found while reading the request. If there are issues, the engine rejects the call
   * after it has checked the tool and the scope. If `issues` is omitted, the engine checks the texts of the arguments.
   */
  readonly issues?: ReadonlyArray<Issue> | undefined
}

/** A call with typed arguments, for a tool that the caller knows at compile time. */
export interface TypedCall<S extends ToolSpecification> extends CallOptions {
  readonly arguments: ArgumentsOf<S>
}

/**
 * Identifies the payer of a call: an answer or another call of the same account. A call with a
 * payer cannot have an idempotency key. The caller must keep the reservation active until the call ends. `call` is the
 * id of the call within the answer, and stays the same if the answer repeats the call.
 */
export interface Payer {
  readonly reservation: Pick<Reservation, "account" | "origin">
  readonly call: string
  /** The conversation of the answer; undefined if the answer belongs to no conversation. */
  readonly conversation?: number | undefined
}
