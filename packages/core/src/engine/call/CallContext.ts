import type { Effect } from "effect"
import type { Principal } from "../access/account.ts"
import type { Language } from "../messages/languageCode.ts"
import type { ToolSpecification } from "../tool/specification.ts"
import type { CallOutcome } from "./envelope.ts"
import type { CallRejection } from "./errors.ts"

/** The context of a call: its caller, its identity and its limits. */
export interface CallContext {
  readonly principal: Principal
  readonly language: Language
  /**
   * The identity of the call within its account. It stays the same when the call is repeated under its idempotency key,
   * or by the answer that pays for it. A store that writes uses account and call id as a unique key, so that a repeated
   * call writes once. This is part of the contract of every port that writes.
   */
  readonly callId: string
  /**
   * The time limit of the call in ms; twice as long once the call is committed. At the limit, the call is interrupted
   * and fails with `timeout`, without a charge.
   */
  readonly limitMs: number
  /**
   * Commits the call: from then on an interrupted caller does not end the call, and its time limit is twice `limitMs`.
   * Undefined unless the specification has `completesWhenAbandoned`. If another call or an answer pays for this call,
   * an interrupted caller still ends it.
   */
  readonly commit?: (() => void) | undefined
  /** The conversation of the answer that makes the call. Null if no answer makes the call. */
  readonly conversation: number | null
  readonly parts: CallParts
}

/** Calls other tools as parts of a call, whose price covers them. */
export interface CallParts {
  /** Returns the specification of a tool, if this engine has the tool. */
  readonly find: (name: string) => ToolSpecification | undefined
  /**
   * Calls a tool for the same principal and in the same language. Reserves no credits. `part` identifies the call among
   * the parts of its call, and must be the same when the call is repeated.
   */
  readonly call: (part: string, name: string, args: unknown) => Effect.Effect<CallOutcome, CallRejection>
}
