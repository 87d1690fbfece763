import { makeIdempotencyKeys } from "../requests/idempotencyKeys.ts"

/** One sign-in of the page, which ends at most once. */
export class SignInSession {
  readonly identity: number
  readonly idempotencyKeys = makeIdempotencyKeys()
  readonly #endController = new AbortController()
  readonly #holds = new Set<object>()
  #pendingEnd: (() => void) | undefined

  constructor(identity: number) {
    this.identity = identity
  }

  get signal(): AbortSignal {
    return this.#endController.signal
  }

  /**
   * Ends the sign-in and then calls `onEnd`: immediately, or after the last hold is released. Later calls of `end` have
   * no effect.
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

  /**
   * Postpones the end of the sign-in until the returned function is called, while the page shows something that is
   * shown only once.
   */
  readonly holdOpen = (): () => void => {
    const hold = {}
    this.#holds.add(hold)
    return () => {
      this.#holds.delete(hold)
      if (this.#holds.size === 0 && this.#pendingEnd !== undefined) this.end(this.#pendingEnd)
    }
  }
}
