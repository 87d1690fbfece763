/** A bounded cache of computed values. The content of the cache affects only the time of a result, never the result. */

/** A cache of two generations. When the young one is full, it replaces the old one, whose values are dropped. */
export class BoundedCache<A> {
  readonly #capacity: number
  #young = new Map<number | string, A>()
  #old = new Map<number | string, A>()

  /** Keeps between `capacity / 2` and `capacity` of the most recently used values. */
  constructor(capacity: number) {
    this.#capacity = Math.max(2, capacity)
  }

  get size(): number {
    return this.#young.size + this.#old.size
  }

  get(key: number | string, compute: () => A): A {
    return this.find(key) ?? this.keep(key, compute())
  }

  /**
   * Returns the value of a key. `find` and `keep` replace `get` where a new function for each access costs too much.
   */
  find(key: number | string): A | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    return old === undefined ? undefined : this.keep(key, old)
  }

  keep(key: number | string, value: A): A {
    if (this.#young.size >= this.#capacity / 2) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
    return value
  }
}
