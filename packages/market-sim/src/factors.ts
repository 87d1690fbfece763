/**
 * Common drivers: the numbers that move an instrument are sums of numbers of the market, of its sector and
 * of its own, all at the same address in time. Instruments that share a driver therefore move together at
 * every scale, without one ever having to be computed for another.
 */
import { derive, type Key, normalDistribution, normalOf, uniformOf } from "./random.ts"

export interface Loading {
  readonly key: Key
  /** Share of the variance of returns, and of the variance of (log) volatility; each adds up to 1. */
  readonly returns: number
  readonly volatility: number
}

/** The numbers of one address, mixed by an instrument's loadings. */
export class Draws {
  readonly #a: Array<number> = []
  readonly #b: Array<number> = []
  readonly #returns: Array<number> = []
  readonly #volatility: Array<number> = []

  constructor(loadings: ReadonlyArray<Loading>, x: number, y: number) {
    for (const loading of loadings) {
      const key = derive(loading.key, x, y)
      this.#a.push(key.a)
      this.#b.push(key.b)
      this.#returns.push(Math.sqrt(loading.returns))
      this.#volatility.push(Math.sqrt(loading.volatility))
    }
  }

  /** Standard normal, shared as returns are. */
  normal(slot: number): number {
    let sum = 0
    for (let i = 0; i < this.#a.length; i++) sum += this.#returns[i]! * normalOf(this.#a[i]!, this.#b[i]!, slot)
    return sum
  }

  /** Standard normal, shared as volatilities are. */
  volatility(slot: number): number {
    let sum = 0
    for (let i = 0; i < this.#a.length; i++) sum += this.#volatility[i]! * normalOf(this.#a[i]!, this.#b[i]!, slot)
    return sum
  }

  /** Uniform in (0, 1), shared as returns are. */
  uniform(slot: number): number {
    return normalDistribution(this.normal(slot))
  }

  /** Uniform in (0, 1), of the first driver alone: what all its instruments agree on. */
  common(slot: number): number {
    return uniformOf(this.#a[0]!, this.#b[0]!, slot)
  }
}
