/** A cache with two generations: when the recent generation is full, it replaces the old generation. */
export class BoundedCache<A> {
  readonly #capacity: number
  #recent = new Map<number | string, A>()
  #old = new Map<number | string, A>()

  /** Creates a cache that keeps between `capacity / 2` and `capacity` of the most recently used values. */
  constructor(capacity: number) {
    this.#capacity = Math.max(2, capacity)
  }

  get size(): number {
    return this.#recent.size + this.#old.size
  }

  get(key: number | string, compute: () => A): A {
    return this.find(key) ?? this.set(key, compute())
  }

  /** Returns the cached value of a key, or undefined if no value is cached. */
  find(key: number | string): A | undefined {
    const recent = this.#recent.get(key)
    if (recent !== undefined) return recent
    const old = this.#old.get(key)
    return old === undefined ? undefined : this.set(key, old)
  }

  set(key: number | string, value: A): A {
    if (this.#recent.size >= this.#capacity / 2) {
      this.#old = this.#recent
      this.#recent = new Map()
    }
    this.#recent.set(key, value)
    return value
  }
}
