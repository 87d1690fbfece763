import { makeIdempotencyKeys } from "../requests/idempotencyKeys.ts"

/** One sign-in of this page. It can end only once; later attempts to end it have no effect. */
export class SignInSession {
  /** Changes with each sign-in. */
  readonly identity: number
  /** The idempotency keys of writes. */
  readonly idempotencyKeys = makeIdempotencyKeys()
  readonly #endController = new AbortController()
  readonly #holds = new Set<object>()
  #pendingEnd: (() => void) | undefined

  constructor(identity: number) {
    this.identity = identity
  }

  /** Aborted when the sign-in ends. */
  get signal(): AbortSignal {
    return this.#endController.signal
  }

  /**
   * Ends the sign-in and then calls `onEnd`: immediately, or after the last hold is released. Only the first call
   * counts.
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

  /** Postpones the end until the returned function is called, because something is shown that is shown only once. */
  readonly holdOpen = (): () => void => {
    const hold = {}
    this.#holds.add(hold)
    return () => {
      this.#holds.delete(hold)
      if (this.#holds.size === 0 && this.#pendingEnd !== undefined) this.end(this.#pendingEnd)
    }
  }
}
