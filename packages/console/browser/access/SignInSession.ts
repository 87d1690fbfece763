import { EarlyResponses } from "../requests/EarlyResponses.ts"
import { makeIdempotencyKeys } from "../requests/idempotencyKeys.ts"

export class SignInSession {
  readonly identity: number
  readonly idempotencyKeys = makeIdempotencyKeys()
  readonly #endController = new AbortController()
  readonly #holds = new Set<object>()
  #pendingEnd: (() => void) | undefined

  readonly earlyResponses: EarlyResponses

  constructor(identity: number, earlyResponses: EarlyResponses = new EarlyResponses()) {
    this.identity = identity
    this.earlyResponses = earlyResponses
  }

  get signal(): AbortSignal {
    return this.#endController.signal
  }

  /**
   * Ends the sign-in and then calls `onEnd`. If `holdOpen` postpones the end, the sign-in ends when the last caller of
   * `holdOpen` releases the sign-in.
   */
  end(onEnd: () => void): void {
    if (this.signal.aborted) return
    if (this.#holds.size > 0) {
      this.#pendingEnd ??= onEnd
      return
    }
    this.#endController.abort()
    onEnd()
  }

  /** Postpones the end of the sign-in until the returned function is called, while the page shows one-time content. */
  readonly holdOpen = (): () => void => {
    const hold = {}
    this.#holds.add(hold)
    return () => {
      this.#holds.delete(hold)
      if (this.#holds.size === 0 && this.#pendingEnd !== undefined) this.end(this.#pendingEnd)
    }
  }
}
