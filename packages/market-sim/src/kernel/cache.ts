/**
 * A bounded memory of computed values. What it holds never changes a result, only the time it takes.
 */

/** Two generations: when the young one is full it becomes the old one, and the old one is forgotten. */
export class BoundedCache<A> {
  readonly #capacity: number
  #young = new Map<number | string, A>()
  #old = new Map<number | string, A>()

  /** Holds between `capacity / 2` and `capacity` of the values used last. */
  constructor(capacity: number) {
    this.#capacity = Math.max(2, capacity)
  }

  get size(): number {
    return this.#young.size + this.#old.size
  }

  get(key: number | string, compute: () => A): A {
    return this.find(key) ?? this.keep(key, compute())
  }

  /** What is held under a key. With `keep` it is `get`, for whom making a function for each look is much. */
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
