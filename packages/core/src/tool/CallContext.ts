import type { Principal } from "../access/account.ts"
import type { Language } from "../messages/languageCode.ts"

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
}
