import type { Effect } from "effect"
import type { Principal } from "../access/account.ts"
import type { Language } from "../messages/languageCode.ts"
import type { ToolSpecification } from "../tool/specification.ts"
import type { CallOutcome } from "./envelope.ts"
import type { CallRejection } from "./errors.ts"

/** The context of a tool call: the caller, the id of the call, and the limits of the call. */
export interface CallContext {
  readonly principal: Principal
  readonly language: Language
  /**
   * The id of the call within its account, equal for a repeated call under one idempotency key. A port that writes must
   * use account and call id as a unique key, so that a repeated call writes only once.
   */
  readonly callId: string
  /**
   * The time limit of the call in ms, or half the time limit of a committed call. At the limit, the call is interrupted
   * and fails with `timeout`, without a charge.
   */
  readonly limitMs: number
  /**
   * Commits the call, which then continues if the caller is interrupted and has twice the time limit; undefined unless
   * the tool has `completesWhenAbandoned`. If an answer or another call pays for the call, an interrupted caller still
   * ends the call.
   */
  readonly commit?: (() => void) | undefined
  /** The conversation of the analyst's answer that makes the call; null if no answer makes the call. */
  readonly conversation: number | null
  readonly parts: CallParts
}

/** Calls other tools as parts of a call, whose price covers its parts. */
export interface CallParts {
  readonly find: (name: string) => ToolSpecification | undefined
  /**
   * Calls a tool for the same principal, in the same language, without reserving credits. `part` identifies the called
   * part within one call, and a repeated call must use equal `part` names.
   */
  readonly call: (part: string, name: string, args: unknown) => Effect.Effect<CallOutcome, CallRejection>
}
