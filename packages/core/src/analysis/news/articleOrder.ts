/**
 * Compares by code points, as the collation "C" does. UTF-16 order would put characters above U+FFFF before those from
 * U+E000.
 */
const byCodePoints = (a: string, b: string): number => {
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

/** Newer articles first. With equal times, the lower id first. */
export const newestFirst = (a: Dated, b: Dated): number => b.time - a.time || byCodePoints(a.id, b.id)

/** Keeps the first `most` elements of many, in order. */
export class FirstFew<A> {
  readonly #order: (a: A, b: A) => number
  readonly #most: number
  #few: Array<A> = []

  constructor(order: (a: A, b: A) => number, most: number) {
    this.#order = order
    this.#most = most
  }

  /** Sorts only occasionally, so that an offer is cheap. */
  offer(one: A): void {
    this.#few.push(one)
    if (this.#few.length >= 4 * this.#most + 64) this.#few = this.all()
  }

  all(): Array<A> {
    return this.#few.toSorted(this.#order).slice(0, this.#most)
  }
}
