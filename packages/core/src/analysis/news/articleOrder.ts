/**
 * Compares strings by code points, like the collation "C" of databases. JavaScript's `<` would place U+10000 before
 * U+E000.
 */
const compareCodePoints = (a: string, b: string): number => {
  const rank = (unit: number): number => unit >= 0xe000 ? unit - 0x800 : unit >= 0xd800 ? unit + 0x2000 : unit
  for (let i = 0; i < a.length && i < b.length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)]
    if (x !== y) return rank(x) - rank(y)
  }
  return a.length - b.length
}

interface Dated {
  readonly id: string
  readonly time: number
}

/** Compares two articles by time, newest first, and then by id. */
export const newestFirst = (a: Dated, b: Dated): number => b.time - a.time || compareCodePoints(a.id, b.id)

/** Collects items and keeps the first `limit` in order. */
export class TopItems<A> {
  readonly #order: (a: A, b: A) => number
  readonly #limit: number
  #items: Array<A> = []

  constructor(compare: (a: A, b: A) => number, limit: number) {
    this.#order = compare
    this.#limit = limit
  }

  /** Adds an item. Items are sorted only after many additions, because sorting is expensive. */
  add(item: A): void {
    this.#items.push(item)
    if (this.#items.length >= 4 * this.#limit + 64) this.#items = this.toArray()
  }

  toArray(): Array<A> {
    return this.#items.toSorted(this.#order).slice(0, this.#limit)
  }
}
