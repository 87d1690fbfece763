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
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const value = this.#old.get(key) ?? compute()
    if (this.#young.size >= this.#capacity / 2) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
    return value
  }
}
