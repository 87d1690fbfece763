/**
 * Common drivers. The random numbers of an instrument are sums of numbers of its market, its sector and itself, all at
 * the same address in time. Instruments with a common driver therefore move together at every scale. No instrument has
 * to be computed for another.
 */
import { derive, type Key, normalDistribution, normalOf, uniformOf } from "./random.ts"

export interface Loading {
  readonly key: Key
  /** The driver's share of the variance of returns, and of the variance of log volatility. Each adds up to 1. */
  readonly returns: number
  readonly volatility: number
}

const mostLoadings = 4

/** One number for each driver, and 0 for each missing driver if there are fewer than four. */
export type Weights = readonly [number, number, number, number]

/** The weights of an instrument's drivers at a time. The squares of the weights add up to 1. */
export interface Mix {
  /** The weights in the instrument's own return. */
  readonly returns: Weights
  /** The weights in the return of the instrument's market. */
  readonly lead: Weights
}
const nobody: Loading = { key: { a: 0, b: 0 }, returns: 0, volatility: 0 }

/** The drivers of an instrument, strongest common one first. */
export class Drivers {
  readonly keys: readonly [Key, Key, Key, Key]
  readonly count: number
  /** The loadings: square roots of the shares. */
  readonly returns: Weights
  readonly volatility: Weights
  /** The mix of a day on which every driver has its usual volatility. Volumes use this mix on every day. */
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
 * The random numbers of one address, mixed by an instrument's loadings. The words are plain fields instead of an array:
 * millions of these objects are made, and most are used for one bar.
 */
export class Draws {
  readonly #drivers: Drivers
  readonly #mix: Mix
  readonly #first: Key
  readonly #second: Key
  readonly #third: Key
  readonly #fourth: Key
  /**
   * The first driver's number of the latest slot. The return of an instrument and of its market are read consecutively.
   */
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

  /** A standard normal number with the correlations of returns. */
  normal(slot: number): number {
    return this.#mixed(this.#mix.returns, slot)
  }

  /** A standard normal number of the instrument's market, equal for all instruments of the market. */
  lead(slot: number): number {
    return this.#mixed(this.#mix.lead, slot)
  }

  /** A standard normal number of a single driver. */
  normalOf(driver: number, slot: number): number {
    const key = driver === 0 ? this.#first : driver === 1 ? this.#second : driver === 2 ? this.#third : this.#fourth
    return normalOf(key.a, key.b, slot)
  }

  /**
   * A standard normal number for the volatility of one driver. Earlier drivers have their loadings in it, and this
   * driver has the rest. The number is therefore equal for all instruments with this driver.
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

  /** A standard normal number with the correlations of volatilities. */
  volatility(slot: number): number {
    return this.#mixed(this.#drivers.volatility, slot)
  }

  /** A uniform number in (0, 1) with the correlations of returns. */
  uniform(slot: number): number {
    return normalDistribution(this.normal(slot))
  }

  /** A uniform number in (0, 1) of the first driver, equal for all instruments with this driver. */
  common(slot: number): number {
    return uniformOf(this.#first.a, this.#first.b, slot)
  }
}
