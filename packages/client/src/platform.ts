/** What the client takes of the machine that it runs on. */
export interface Platform {
  /** Ms since some time: what durations are told by, since clocks are set. */
  readonly now: () => number
  /** Epoch ms, by a clock that may be wrong. */
  readonly date: () => number
  /** Runs something after so many ms, unless what comes back is called before. */
  readonly after: (ms: number, run: () => void) => () => void
  /** From 0 up to and without 1. */
  readonly random: () => number
}

export const thisMachine: Platform = {
  now: () => performance.now(),
  date: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
  random: () => Math.random()
}

/** Waits; rejects with the signal's reason once that is aborted. */
export const sleep = (platform: Platform, ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason)
    const leave = () => {
      cancel()
      reject(signal?.reason)
    }
    const cancel = platform.after(ms, () => {
      signal?.removeEventListener("abort", leave)
      resolve()
    })
    signal?.addEventListener("abort", leave, { once: true })
  })

/**
 * An abort of its own for a part of what `signal` governs. It lets go of `signal` when it is left, so that one signal
 * may live through any number of calls.
 */
export class Part {
  readonly #controller = new AbortController()
  readonly #outer: AbortSignal | undefined
  readonly #follow = () => this.#controller.abort(this.#outer?.reason)
  readonly #timers = new Set<() => void>()

  constructor(outer: AbortSignal | undefined) {
    this.#outer = outer
    if (outer?.aborted === true) this.#follow()
    else outer?.addEventListener("abort", this.#follow, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason)
  }

  /** Aborts with `reason` after so many ms; what comes back takes that back. */
  abortAfter(platform: Platform, ms: number, reason: () => unknown): () => void {
    const cancel = platform.after(ms, () => this.abort(reason()))
    this.#timers.add(cancel)
    return () => {
      this.#timers.delete(cancel)
      cancel()
    }
  }

  /** What something comes to; where this is aborted before, the abort's reason. */
  async outwait<A>(wait: () => A | Promise<A>): Promise<A> {
    const { signal } = this
    signal.throwIfAborted()
    return await new Promise<A>((resolve, reject) => {
      const give = () => reject(signal.reason)
      signal.addEventListener("abort", give, { once: true })
      const done = () => signal.removeEventListener("abort", give)
      Promise.resolve().then(wait).then(resolve, reject).finally(done)
    })
  }

  leave(): void {
    this.#outer?.removeEventListener("abort", this.#follow)
    for (const cancel of this.#timers) cancel()
    this.#timers.clear()
  }
}
