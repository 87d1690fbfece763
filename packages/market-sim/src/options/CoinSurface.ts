/**
 * The implied volatility surface of a coin, from recent realised volatility, recent returns and the sellers' premium.
 */
import { dayMs, hourMs } from "@tapeline/core/market"
import type { CoinMarket } from "../coin/CoinMarket.ts"
import { computeMomentum } from "../coin/momentum.ts"
import { BoundedCache } from "../kernel/cache.ts"
import { stationaryNoise } from "../kernel/noise.ts"
import { deriveKey, type Key } from "../kernel/random.ts"
import { makeSurface, type Surface } from "./surface.ts"

/**
 * The variance risk premium of crypto options: the mean logarithm of implied over realised volatility. Source:
 * Alexander & Imeraj, "The Bitcoin VIX and its variance risk premium", 2021.
 */
const variancePremium = 0.09
/** The speed per year at which variance reverts to its mean, with a half-life of three weeks. */
const meanReversionSpeed = 12
const returnIntervalMs = 4 * hourMs

/** The realised variances of a coin, computed once per day. */
interface DayVariances {
  /** The annualised variance of the days before midnight. */
  readonly recentVariance: number
  /** The mean of the annualised variances now, 30 days ago and 60 days ago. */
  readonly quarterVariance: number
}

export class CoinSurface {
  readonly #market: CoinMarket
  readonly #key: Key
  readonly #variancesByDay = new BoundedCache<DayVariances>(1_024)

  constructor(market: CoinMarket, key: Key) {
    this.#market = market
    this.#key = key
  }

  #getDayVariances(day: number): DayVariances {
    return this.#variancesByDay.get(day, () => {
      const getVariance = (ago: number): number => this.#market.volatility((day - ago) * dayMs) ** 2
      const recentVariance = getVariance(0)
      return { recentVariance, quarterVariance: (recentVariance + getVariance(30) + getVariance(60)) / 3 }
    })
  }

  /** Returns the annualised realised variance of the days before a time, interpolated to avoid a jump at midnight. */
  computeRealisedVariance(time: number): number {
    const day = Math.floor(time / dayMs)
    const dayFraction = time / dayMs - day
    return (1 - dayFraction) * this.#getDayVariances(day - 1).recentVariance +
      dayFraction * this.#getDayVariances(day).recentVariance
  }

  #noise(stream: number, time: number, longestMs: number): number {
    return stationaryNoise(deriveKey(this.#key, stream, 0), time, hourMs, longestMs)
  }

  getSurface(time: number): Surface {
    const market = this.#market
    const realised = this.computeRealisedVariance(time)
    const lastDay = this.#computeLastDayVariance(time)
    const relativeVariance = Math.min(4, Math.max(0.3, lastDay / realised))
    const day = Math.floor(time / dayMs)
    const usualVariance = market.spec.dailySd ** 2 * 365
    const weekMomentum = computeMomentum(market, time, 7 * dayMs, 1.5)
    const spotPremium = variancePremium + 0.05 * this.#noise(1, time, 16 * dayMs) - 0.04 * weekMomentum
    const longPremium = variancePremium + 0.04 * this.#noise(2, time, 128 * dayMs)
    const quarterVariance = (1 - (time / dayMs - day)) * this.#getDayVariances(day - 1).quarterVariance +
      (time / dayMs - day) * this.#getDayVariances(day).quarterVariance
    return makeSurface({
      time,
      spotVariance: realised * relativeVariance ** 0.2 * Math.exp(2 * spotPremium),
      longVariance: usualVariance ** 0.45 * quarterVariance ** 0.55 * Math.exp(2 * longPremium),
      speed: meanReversionSpeed,
      rho: -0.12 + 0.2 * weekMomentum + 0.08 * computeMomentum(market, time, dayMs, 1.5) +
        0.09 * this.#noise(3, time, 32 * dayMs),
      eta: 0.98 + 0.1 * this.#noise(4, time, 64 * dayMs),
      events: []
    })
  }

  /** Returns the annualised variance of the last 24 hours, computed from four-hour returns. */
  #computeLastDayVariance(time: number): number {
    const last = Math.floor(time / returnIntervalMs) * returnIntervalMs
    const dayFraction = (time - last) / returnIntervalMs
    let later = this.#market.logPrice(last)
    let sum = (this.#market.logPrice(time) - later) ** 2
    for (let i = 1; i <= 6; i++) {
      const earlier = this.#market.logPrice(last - i * returnIntervalMs)
      // The weight of the oldest return falls to zero, so the variance does not jump.
      sum += (i === 6 ? 1 - dayFraction : 1) * (later - earlier) ** 2
      later = earlier
    }
    return 365 * sum
  }
}
