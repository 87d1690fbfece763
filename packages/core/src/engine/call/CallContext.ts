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
   * The id of the call, unique within its account. A call that is repeated with the same idempotency key keeps its id,
   * except a call of a pure tool.
   * A port that writes must use the account and the call id as a unique key, so that a repeated call writes only once.
   */
  readonly callId: string
  /**
   * The time limit of the call in ms. A committed call has twice the time limit. At the limit, the call is interrupted
   * and fails with `timeout`, without a charge.
   */
  readonly limitMs: number
  /**
   * Commits the call. A committed call continues if its caller is interrupted, and has twice the time limit. `commit`
   * is undefined unless the tool has `completesWhenAbandoned`. A call that is paid by an answer or another call ends
   * when its caller is interrupted, even if committed.
   */
  readonly commit?: (() => void) | undefined
  /**
   * The conversation in which the analyst's answer makes or proposed this call; null if no answer makes or proposed
   * this call.
   */
  readonly conversation: number | null
  /**
   * The version of the record that the call may change; undefined to change the record in any version. If the record
   * has another version, the handler must fail with `RecordChanged`.
   */
  readonly recordVersion?: string | undefined
  readonly parts: CallParts
}

/** Calls other tools within a call. The price of the outer call includes these calls. */
export interface CallParts {
  readonly find: (name: string) => ToolSpecification | undefined
  /**
   * Calls a tool for the same principal, in the same language, without reserving credits. `part` identifies this inner
   * call within the outer call. If the outer call is repeated, its inner calls must have the same `part` names.
   */
  readonly call: (part: string, name: string, args: unknown) => Effect.Effect<CallOutcome, CallRejection>
}
