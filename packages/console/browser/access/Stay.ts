import { makeOnce } from "../asking/once.ts"

/** One sign-in, as far as this page knows of it. What belongs to it ends with it, and what comes late ends nothing. */
export class Stay {
  /** Another for each sign-in. */
  readonly identity: number
  /** Names the calls that write. */
  readonly once = makeOnce()
  readonly #over = new AbortController()
  readonly #holds = new Set<object>()
  #waiting: (() => void) | undefined

  constructor(identity: number) {
    this.identity = identity
  }

  /** Aborted when it is over. */
  get signal(): AbortSignal {
    return this.#over.signal
  }

  /**
   * Ends it, and goes on with what follows: at once, or when nothing holds it any more. What wants to end it later has
   * no say.
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

  /** Something is shown that is shown once: it stays until it is let go. */
  readonly hold = (): () => void => {
    const hold = {}
    this.#holds.add(hold)
    return () => {
      this.#holds.delete(hold)
      if (this.#holds.size === 0 && this.#waiting !== undefined) this.end(this.#waiting)
    }
  }
}
