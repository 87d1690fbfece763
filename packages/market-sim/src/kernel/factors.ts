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

const mostLoadings = 4

/** One number for each driver, 0 where there are fewer than four. */
export type Weights = readonly [number, number, number, number]

/** The weights of an instrument's drivers at some time; the squares of each add up to 1. */
export interface Mix {
  /** Weights in the instrument's own return. */
  readonly returns: Weights
  /** Weights in the return of the instrument's market. */
  readonly lead: Weights
}
const nobody: Loading = { key: { a: 0, b: 0 }, returns: 0, volatility: 0 }

/** An instrument's drivers, strongest common one first. */
export class Drivers {
  readonly keys: readonly [Key, Key, Key, Key]
  readonly count: number
  /** Loadings: square roots of the shares. */
  readonly returns: Weights
  readonly volatility: Weights
  /** The mix of a day in which every driver has its usual volatility: volumes are shared by it on every day. */
  readonly usual: Mix

  constructor(loadings: ReadonlyArray<Loading>) {
    if (loadings.length > mostLoadings) throw new Error(`at most ${mostLoadings} drivers`)
    this.count = loadings.length
    const at = (i: number): Loading => loadings[i] ?? nobody
    this.keys = [at(0).key, at(1).key, at(2).key, at(3).key]
    this.returns = [
      Math.sqrt(at(0).returns),
      Math.sqrt(at(1).returns),
      Math.sqrt(at(2).returns),
      Math.sqrt(at(3).returns)
    ]
    this.volatility = [
      Math.sqrt(at(0).volatility),
      Math.sqrt(at(1).volatility),
      Math.sqrt(at(2).volatility),
      Math.sqrt(at(3).volatility)
    ]
    this.usual = { returns: this.returns, lead: this.returns }
  }

  /** Returns the random numbers of an address, weighted by `mix`. */
  at(x: number, y: number, mix: Mix): Draws {
    return new Draws(this, x, y, mix)
  }
}

/**
 * The numbers of one address, mixed by an instrument's loadings. Its words are plain fields rather than an
 * array: millions of these are made, and most live for one bar.
 */
export class Draws {
  readonly #drivers: Drivers
  readonly #mix: Mix
  readonly #first: Key
  readonly #second: Key
  readonly #third: Key
  readonly #fourth: Key
  /** The first driver's number of the last slot: an instrument's return and its market's follow one another. */
  #slot = -1
  #normal = 0

  constructor(drivers: Drivers, x: number, y: number, mix: Mix) {
    const { keys } = drivers
    this.#drivers = drivers
    this.#mix = mix
    this.#first = derive(keys[0], x, y)
    this.#second = derive(keys[1], x, y)
    this.#third = keys[2] === nobody.key ? keys[2] : derive(keys[2], x, y)
    this.#fourth = keys[3] === nobody.key ? keys[3] : derive(keys[3], x, y)
  }

  #firstNormal(slot: number): number {
    if (slot !== this.#slot) {
      this.#slot = slot
      this.#normal = normalOf(this.#first.a, this.#first.b, slot)
    }
    return this.#normal
  }

  #mixed(weights: Weights, slot: number): number {
    let sum = 0
    if (weights[0] !== 0) sum += weights[0] * this.#firstNormal(slot)
    if (weights[1] !== 0) sum += weights[1] * normalOf(this.#second.a, this.#second.b, slot)
    if (weights[2] !== 0) sum += weights[2] * normalOf(this.#third.a, this.#third.b, slot)
    if (weights[3] !== 0) sum += weights[3] * normalOf(this.#fourth.a, this.#fourth.b, slot)
    return sum
  }

  /** Standard normal, shared as returns are. */
  normal(slot: number): number {
    return this.#mixed(this.#mix.returns, slot)
  }

  /** Standard normal of the instrument's market: the same for each of the market's instruments. */
  lead(slot: number): number {
    return this.#mixed(this.#mix.lead, slot)
  }

  /** Standard normal of one driver alone. */
  normalOf(driver: number, slot: number): number {
    const key = driver === 0 ? this.#first : driver === 1 ? this.#second : driver === 2 ? this.#third : this.#fourth
    return normalOf(key.a, key.b, slot)
  }

  /**
   * Standard normal of the volatility of one driver: drivers before it have their loadings in it, and it has the rest.
   * So it is the same for each instrument that has the driver.
   */
  volatilityOf(driver: number, slot: number): number {
    let sum = 0
    let rest = 1
    for (let i = 0; i < driver; i++) {
      const weight = this.#drivers.volatility[i]!
      sum += weight * this.normalOf(i, slot)
      rest -= weight * weight
    }
    return sum + Math.sqrt(Math.max(0, rest)) * this.normalOf(driver, slot)
  }

  /** Standard normal, shared as volatilities are. */
  volatility(slot: number): number {
    return this.#mixed(this.#drivers.volatility, slot)
  }

  /** Uniform in (0, 1), shared as returns are. */
  uniform(slot: number): number {
    return normalDistribution(this.normal(slot))
  }

  /** Uniform in (0, 1), of the first driver alone: what all its instruments agree on. */
  common(slot: number): number {
    return uniformOf(this.#first.a, this.#first.b, slot)
  }
}
