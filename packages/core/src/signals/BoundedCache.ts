/**
 * A bounded memory of computed values: the least recently used one is forgotten first. What it holds never changes a
 * result, only the time that the result takes.
 */
export class BoundedCache<A> {
  readonly #capacity: number
  readonly #entries = new Map<string, A>()

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: string): A | undefined {
    const value = this.#entries.get(key)
    if (value === undefined) return undefined
    // A Map keeps insertion order: to put it back is to make it the youngest.
    this.#entries.delete(key)
    this.#entries.set(key, value)
    return value
  }

  set(key: string, value: A): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size > this.#capacity) this.#entries.delete(this.#entries.keys().next().value!)
  }
}
