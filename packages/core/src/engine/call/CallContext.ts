import type { Effect } from "effect"
import type { Principal } from "../access/account.ts"
import type { Language } from "../messages/languageCode.ts"
import type { ToolSpecification } from "../tool/specification.ts"
import type { CallOutcome } from "./envelope.ts"
import type { CallRefusal } from "./errors.ts"

/** For whom a tool runs, and which call it is. */
export interface CallContext {
  readonly principal: Principal
  readonly language: Language
  /**
   * The call's own identity among those of its account: the same when the call is made again under its idempotency key,
   * or again by the answer that pays for it. A store that writes keeps what it wrote under account and call in a unique
   * key, so that a call made again writes once; that is part of the contract of every port that writes.
   */
  readonly callId: string
  /**
   * How long the call may run, in ms: twice as long once it is committed. At this limit it is ended and fails with
   * `timeout`, without a charge.
   */
  readonly limitMs: number
  /**
   * Commits the call: from here on its caller does not end it, and its limit is twice `limitMs`. Undefined unless the
   * specification has `completesWhenAbandoned`. If another call or an answer pays for this call, an interrupted caller
   * still ends it.
   */
  readonly commit?: (() => void) | undefined
  /** The conversation of the answer that makes the call; null of a call that nobody makes within one. */
  readonly conversation: number | null
  readonly parts: CallParts
}

/** Calls of other tools as parts of a call, whose price covers them. */
export interface CallParts {
  /** The tool of that name, if this engine has it. */
  readonly find: (name: string) => ToolSpecification | undefined
  /**
   * Calls a tool for whom the call is, under the same scopes and in the same language; nothing is reserved. `part`
   * names it among the parts of the call, in the same way when the call is made again.
   */
  readonly call: (part: string, name: string, args: unknown) => Effect.Effect<CallOutcome, CallRefusal>
}
