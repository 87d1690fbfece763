/** By code points, as the collation "C" has it: UTF-16 puts those beyond 16 bits before the last of the others. */
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

/** The newer first; of one time, the lower id. */
export const newestFirst = (a: Dated, b: Dated): number => b.time - a.time || byCodePoints(a.id, b.id)

/** Keeps the first few of many, in order. */
export class FirstFew<A> {
  readonly #order: (a: A, b: A) => number
  readonly #most: number
  #few: Array<A> = []

  constructor(order: (a: A, b: A) => number, most: number) {
    this.#order = order
    this.#most = most
  }

  /** Sorted only now and then, so that an offer costs next to nothing. */
  offer(one: A): void {
    this.#few.push(one)
    if (this.#few.length >= 4 * this.#most + 64) this.#few = this.all()
  }

  all(): Array<A> {
    return this.#few.toSorted(this.#order).slice(0, this.#most)
  }
}
