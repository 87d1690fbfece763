/** The clock, timer and random functions of the client, which tests replace. */
export interface Platform {
  readonly monotonicMs: () => number
  /** Returns the time in ms since 1970, from a clock that may be wrong. */
  readonly wallClockMs: () => number
  /** Schedules `run` after `ms` milliseconds, and returns a function that cancels the schedule. */
  readonly schedule: (ms: number, run: () => void) => () => void
  readonly random: () => number
}

export const systemPlatform: Platform = {
  monotonicMs: () => performance.now(),
  wallClockMs: () => Date.now(),
  schedule: (ms, run) => {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
  random: () => Math.random()
}

export const sleep = (platform: Platform, ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason)
    const onAbort = () => {
      cancel()
      reject(signal?.reason)
    }
    const cancel = platform.schedule(ms, () => {
      signal?.removeEventListener("abort", onAbort)
      resolve()
    })
    signal?.addEventListener("abort", onAbort, { once: true })
  })

/** Contains an abort signal that an outer signal also aborts. `dispose` removes the listener from the outer signal. */
export class AbortScope {
  readonly #controller = new AbortController()
  readonly #outer: AbortSignal | undefined
  readonly #abortWithOuter = () => this.#controller.abort(this.#outer?.reason)
  readonly #timers = new Set<() => void>()

  constructor(outer: AbortSignal | undefined) {
    this.#outer = outer
    if (outer?.aborted === true) this.#abortWithOuter()
    else outer?.addEventListener("abort", this.#abortWithOuter, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason)
  }

  /** Aborts with `reason` after `ms`, unless the returned function is called first. */
  abortAfter(platform: Platform, ms: number, reason: () => unknown): () => void {
    const cancel = platform.schedule(ms, () => this.abort(reason()))
    this.#timers.add(cancel)
    return () => {
      this.#timers.delete(cancel)
      cancel()
    }
  }

  /**
   * Runs `wait` and returns the result of `wait`. If this `AbortScope` aborts first, rejects with the reason of the
   * abort.
   */
  async runUntilAborted<A>(wait: () => A | Promise<A>): Promise<A> {
    const { signal } = this
    signal.throwIfAborted()
    return await new Promise<A>((resolve, reject) => {
      const onAbort = () => reject(signal.reason)
      signal.addEventListener("abort", onAbort, { once: true })
      const removeListener = () => signal.removeEventListener("abort", onAbort)
      Promise.resolve().then(wait).then(resolve, reject).finally(removeListener)
    })
  }

  dispose(): void {
    this.#outer?.removeEventListener("abort", this.#abortWithOuter)
    for (const cancel of this.#timers) cancel()
    this.#timers.clear()
  }
}
