/**
 * Random drivers that instruments share, so that instruments with a common driver move together on every time scale.
 */
import { deriveKey, drawNormalFromWords, drawUniformFromWords, type Key, normalCdf } from "./random.ts"

export interface DriverShare {
  readonly key: Key
  /** The driver's share of the variance of returns; the shares of all drivers add up to 1. */
  readonly returns: number
  readonly volatility: number
}

const maxDrivers = 4

/** One weight for each of at most four drivers. The weight of a missing driver is 0. */
export type Weights = readonly [number, number, number, number]

/** The weights of an instrument's drivers at a time, whose squares add up to 1. */
export interface DriverWeights {
  readonly returns: Weights
  readonly marketReturn: Weights
}
const noDriver: DriverShare = { key: { a: 0, b: 0 }, returns: 0, volatility: 0 }

export class Drivers {
  readonly keys: readonly [Key, Key, Key, Key]
  readonly count: number
  /** The square root of each driver's share of the variance of returns. */
  readonly returns: Weights
  readonly volatility: Weights
  /** The weights of the drivers on a day on which every driver has its usual volatility. */
  readonly usualMix: DriverWeights

  constructor(loadings: ReadonlyArray<DriverShare>) {
    if (loadings.length > maxDrivers) throw new Error(`at most ${maxDrivers} drivers`)
    this.count = loadings.length
    const at = (i: number): DriverShare => loadings[i] ?? noDriver
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
    this.usualMix = { returns: this.returns, marketReturn: this.returns }
  }

  /** Returns the random numbers for the counters `x` and `y`. `mix` contains the weight of each driver. */
  at(x: number, y: number, mix: DriverWeights): Draws {
    return new Draws(this, x, y, mix)
  }
}

/** Generates the random numbers of an instrument for the counters `x` and `y`. */
export class Draws {
  readonly #drivers: Drivers
  readonly #mix: DriverWeights
  readonly #first: Key
  readonly #second: Key
  readonly #third: Key
  readonly #fourth: Key
  /** Caches the last number of the first driver, because consecutive calls often use the same slot. */
  #slot = -1
  #normal = 0

  constructor(drivers: Drivers, x: number, y: number, mix: DriverWeights) {
    const { keys } = drivers
    this.#drivers = drivers
    this.#mix = mix
    this.#first = deriveKey(keys[0], x, y)
    this.#second = deriveKey(keys[1], x, y)
    this.#third = keys[2] === noDriver.key ? keys[2] : deriveKey(keys[2], x, y)
    this.#fourth = keys[3] === noDriver.key ? keys[3] : deriveKey(keys[3], x, y)
  }

  #getFirstNormal(slot: number): number {
    if (slot !== this.#slot) {
      this.#slot = slot
      this.#normal = drawNormalFromWords(this.#first.a, this.#first.b, slot)
    }
    return this.#normal
  }

  #mixNormals(weights: Weights, slot: number): number {
    let sum = 0
    if (weights[0] !== 0) sum += weights[0] * this.#getFirstNormal(slot)
    if (weights[1] !== 0) sum += weights[1] * drawNormalFromWords(this.#second.a, this.#second.b, slot)
    if (weights[2] !== 0) sum += weights[2] * drawNormalFromWords(this.#third.a, this.#third.b, slot)
    if (weights[3] !== 0) sum += weights[3] * drawNormalFromWords(this.#fourth.a, this.#fourth.b, slot)
    return sum
  }

  /**
   * Returns a standard normal number. The random numbers of two instruments have the same correlation as the
   * instruments' returns.
   */
  normal(slot: number): number {
    return this.#mixNormals(this.#mix.returns, slot)
  }

  /** Returns a standard normal number that is equal for all instruments of the market. */
  marketReturn(slot: number): number {
    return this.#mixNormals(this.#mix.marketReturn, slot)
  }

  normalOf(driver: number, slot: number): number {
    const key = driver === 0 ? this.#first : driver === 1 ? this.#second : driver === 2 ? this.#third : this.#fourth
    return drawNormalFromWords(key.a, key.b, slot)
  }

  /** Returns a standard normal number for the volatility of one driver. */
  volatilityOf(driver: number, slot: number): number {
    let sum = 0
    let remainingVariance = 1
    for (let i = 0; i < driver; i++) {
      const weight = this.#drivers.volatility[i]!
      sum += weight * this.normalOf(i, slot)
      remainingVariance -= weight * weight
    }
    return sum + Math.sqrt(Math.max(0, remainingVariance)) * this.normalOf(driver, slot)
  }

  /**
   * Returns a standard normal number. The random numbers of two instruments have the same correlation as the
   * instruments' volatilities.
   */
  volatility(slot: number): number {
    return this.#mixNormals(this.#drivers.volatility, slot)
  }

  /** Returns a uniform number in (0, 1). The numbers are correlated for instruments with correlated returns. */
  uniform(slot: number): number {
    return normalCdf(this.normal(slot))
  }

  /** Returns a uniform number in (0, 1). Instruments with the same first driver receive the same number. */
  firstDriverUniform(slot: number): number {
    return drawUniformFromWords(this.#first.a, this.#first.b, slot)
  }
}
