import { makeOnce } from "../asking/once.ts"

/** One sign-in of this page. It can end only once; later attempts to end it have no effect. */
export class Stay {
  /** Changes with each sign-in. */
  readonly identity: number
  /** The idempotency keys of writes. */
  readonly once = makeOnce()
  readonly #over = new AbortController()
  readonly #holds = new Set<object>()
  #waiting: (() => void) | undefined

  constructor(identity: number) {
    this.identity = identity
  }

  /** Aborted when the sign-in ends. */
  get signal(): AbortSignal {
    return this.#over.signal
  }

  /**
   * Ends the sign-in and then calls `follows`: immediately, or after the last hold is released. Only the first call
   * counts.
   */
  end(follows: () => void): void {
    if (this.signal.aborted) return
    if (this.#holds.size > 0) {
      this.#waiting ??= follows
      return
    }
    this.#over.abort()
    follows()
  }

  /** Postpones the end until the returned function is called, because something is shown that is shown only once. */
  readonly hold = (): () => void => {
    const hold = {}
    this.#holds.add(hold)
    return () => {
      this.#holds.delete(hold)
      if (this.#holds.size === 0 && this.#waiting !== undefined) this.end(this.#waiting)
    }
  }
}
