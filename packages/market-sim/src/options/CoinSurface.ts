/**
 * The volatility surface of a coin. The level is the recent realised volatility plus the premium of option sellers. The
 * tilt depends on recent returns. The surface uses no future prices.
 */
import { dayMs, hourMs } from "@tapeline/core/market"
import type { CoinMarket } from "../coin/CoinMarket.ts"
import { momentum } from "../coin/momentum.ts"
import { BoundedCache } from "../kernel/cache.ts"
import { stationaryNoise } from "../kernel/noise.ts"
import { derive, type Key } from "../kernel/random.ts"
import { makeSurface, type Surface } from "./surface.ts"

/**
 * The mean log ratio of implied to realised volatility: the variance risk premium of crypto options. Alexander &
 * Imeraj, "The Bitcoin VIX and its variance risk premium", 2021, find it mostly positive.
 */
const premium = 0.09
/** The speed at which variance returns to its mean: a half-life of three weeks. */
const speed = 12
const spanMs = 4 * hourMs

/** Values that change only at midnight. */
interface DayLevel {
  /** The annualised variance of the days before this one, and its average over three months. */
  readonly recent: number
  readonly quarter: number
}

export class CoinSurface {
  readonly #market: CoinMarket
  readonly #key: Key
  readonly #levels = new BoundedCache<DayLevel>(1_024)

  constructor(market: CoinMarket, key: Key) {
    this.#market = market
    this.#key = key
  }

  #level(day: number): DayLevel {
    return this.#levels.get(day, () => {
      const at = (ago: number): number => this.#market.volatility((day - ago) * dayMs) ** 2
      const recent = at(0)
      return { recent, quarter: (recent + at(30) + at(60)) / 3 }
    })
  }

  /** The annualised realised variance of the days before a time, without a jump at midnight. */
  realised(time: number): number {
    const day = Math.floor(time / dayMs)
    const part = time / dayMs - day
    return (1 - part) * this.#level(day - 1).recent + part * this.#level(day).recent
  }

  #noise(stream: number, time: number, longestMs: number): number {
    return stationaryNoise(derive(this.#key, stream, 0), time, hourMs, longestMs)
  }

  /** The surface at a time. */
  at(time: number): Surface {
    const market = this.#market
    const realised = this.realised(time)
    const lastDay = this.#lastDay(time)
    const heat = Math.min(4, Math.max(0.3, lastDay / realised))
    const day = Math.floor(time / dayMs)
    const usual = market.spec.dailySd ** 2 * 365
    const week = momentum(market, time, 7 * dayMs, 1.5)
    const spotPremium = premium + 0.05 * this.#noise(1, time, 16 * dayMs) - 0.04 * week
    const longPremium = premium + 0.04 * this.#noise(2, time, 128 * dayMs)
    const quarter = (1 - (time / dayMs - day)) * this.#level(day - 1).quarter +
      (time / dayMs - day) * this.#level(day).quarter
    return makeSurface({
      time,
      spotVariance: realised * heat ** 0.2 * Math.exp(2 * spotPremium),
      longVariance: usual ** 0.45 * quarter ** 0.55 * Math.exp(2 * longPremium),
      speed,
      rho: -0.12 + 0.2 * week + 0.08 * momentum(market, time, dayMs, 1.5) + 0.09 * this.#noise(3, time, 32 * dayMs),
      eta: 0.98 + 0.1 * this.#noise(4, time, 64 * dayMs),
      events: []
    })
  }

  /**
   * The annualised variance of the last 24 hours, from returns between multiples of four hours. The weight of the
   * oldest return falls gradually.
   */
  #lastDay(time: number): number {
    const last = Math.floor(time / spanMs) * spanMs
    const part = (time - last) / spanMs
    let later = this.#market.logPrice(last)
    let sum = (this.#market.logPrice(time) - later) ** 2
    for (let i = 1; i <= 6; i++) {
      const earlier = this.#market.logPrice(last - i * spanMs)
      sum += (i === 6 ? 1 - part : 1) * (later - earlier) ** 2
      later = earlier
    }
    return 365 * sum
  }
}
