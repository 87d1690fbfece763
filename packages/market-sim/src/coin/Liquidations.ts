/**
 * Simulates the liquidations of a coin's perpetual after unusually large price moves.
 *
 * Each large price move increases the liquidated amounts. The effect of a large price move halves in about an hour.
 * Sources for self-exciting (Hawkes) processes: Hawkes, 1971; Bacry, Mastromatteo & Muzy, "Hawkes processes in
 * finance", 2015. Liquidated amounts depend only on earlier prices, so liquidations predict no prices.
 */
import {
  dayMs,
  durationMs,
  hourMs,
  type Liquidation,
  type LiquidationTotals,
  stepsFromEvents
} from "@tapeline/core/market"
import { BoundedCache } from "../kernel/cache.ts"
import { deriveKey, drawInteger, drawNormal, drawUniform, type Key } from "../kernel/random.ts"
import type { CoinMarket } from "./CoinMarket.ts"

export const bucketMs = durationMs["5m"]
const bucketsPerDay = dayMs / bucketMs

/** The number of five-minute intervals after which a large price move no longer affects liquidations. */
// The weight of older price moves is below 1 %.
const excessMemoryBuckets = 84
/** The factor by which the effect of a large price move decreases every five minutes. */
const excessDecay = 0.94
/** The minimum size of a large price move. The unit is the standard deviation of a typical five-minute move. */
const excessThreshold = 1.6
/** The weight of past large price moves in the liquidated amount. */
const independentShare = 0.06
/** The weight of past large price moves when a new large move occurs in the same direction. */
const contagionFactor = 0.25

/**
 * The liquidated values of one day, in USD. `long` and `short` contain a value for every five minutes, and `hours`
 * contains a total for every hour.
 */
interface DayAmounts {
  readonly long: Float64Array
  readonly short: Float64Array
  readonly hours: Float64Array
}

const makeEmptyAmounts = (): DayAmounts => ({
  long: new Float64Array(bucketsPerDay),
  short: new Float64Array(bucketsPerDay),
  hours: new Float64Array(dayMs / hourMs)
})

/** The fraction of the open interest that is liquidated per unit of the size of large price moves. */
const excessShare = 5e-5
/** The fraction of the open interest that is liquidated per unit of background activity. */
const backgroundShare = 7e-7
/** The standard deviation of daily returns for which `volatilityFactor` is 1. */
const backgroundDailySd = 0.023

/** The mean value of a single liquidated position in USD, and the standard deviation of the value's logarithm. */
const singlePosition = { usd: 4_000, logSd: 1.1 }

/**
 * Replaces a small amount by a single position of random size or by zero. The replacement preserves the expected
 * amount.
 */
const drawSinglePosition = (usd: number, key: Key, slot: number): number => {
  if (usd >= singlePosition.usd) return usd
  return drawUniform(key, 2 * slot) < usd / singlePosition.usd
    ? singlePosition.usd *
      Math.exp(singlePosition.logSd * drawNormal(key, 2 * slot + 1) - singlePosition.logSd ** 2 / 2)
    : 0
}

const maxEventsPerSide = 60

const slot = { noise: 0, stray: 1 }

export class Liquidations {
  readonly #days: BoundedCache<DayAmounts>
  /** Caches the amounts of the day that was read last. */
  // The last read is kept separately, because building a cache key for each read is slow.
  #lastRead: { readonly market: CoinMarket; readonly day: number; readonly amounts: DayAmounts } | undefined
  readonly #key: (coin: string) => Key

  constructor(key: (name: string) => Key, cachedDays: number) {
    this.#days = new BoundedCache(cachedDays)
    this.#key = (coin) => key(`liquidations ${coin}`)
  }

  /** Returns the usual open interest in USD. Liquidated amounts are proportional to the usual open interest. */
  referenceOpenInterestUsd(market: CoinMarket): number {
    return 0.9 * market.spec.dailyVolumeUsd
  }

  #day(market: CoinMarket, day: number): DayAmounts {
    if (this.#lastRead?.market !== market || this.#lastRead.day !== day) {
      this.#lastRead = { market, day, amounts: this.#cachedDay(market, day) }
    }
    return this.#lastRead.amounts
  }

  #cachedDay(market: CoinMarket, day: number): DayAmounts {
    return this.#days.get(`${market.spec.coin}/${day}`, () => {
      const from = day * dayMs
      const amounts = makeEmptyAmounts()
      const { hours, long, short } = amounts
      // Each bucket depends on the previous bucket, so the first bucket begins five minutes after the listing.
      const begin = Math.max(market.listedAt + bucketMs, from - excessMemoryBuckets * bucketMs)
      if (begin >= from + dayMs) return amounts
      const typicalMove = market.spec.dailySd / Math.sqrt(bucketsPerDay)
      const referenceUsd = this.referenceOpenInterestUsd(market)
      const volatilityFactor = (market.spec.dailySd / backgroundDailySd) ** 2
      const key = deriveKey(this.#key(market.spec.coin), day, 0)
      const singlesKey = deriveKey(this.#key(market.spec.coin), day, 3)
      let pastFalls = 0
      let pastRises = 0
      let previousPrice = market.logPrice(begin - bucketMs)
      const [yesterdayCloses, todayCloses] = [
        begin < from ? market.getFiveMinuteCloses(day - 1) : [],
        market.getFiveMinuteCloses(day)
      ]
      for (let time = begin; time < from + dayMs; time += bucketMs) {
        const closeIndex = Math.round((time - from) / bucketMs) - 1
        const price = closeIndex < 0 ? yesterdayCloses[closeIndex + bucketsPerDay]! : todayCloses[closeIndex]!
        const move = (price - previousPrice) / typicalMove
        previousPrice = price
        const fallExcess = Math.max(0, -move - excessThreshold)
        const riseExcess = Math.max(0, move - excessThreshold)
        const bucket = Math.round((time - from) / bucketMs)
        if (bucket >= 0) {
          const amount = (excess: number, pastExcess: number, side: number): number => {
            const first = 4 * bucket + 2 * side
            const excessAmount = excess ** 1.6 + contagionFactor * excess * pastExcess + independentShare * pastExcess
            const noise = Math.exp(0.4 * drawNormal(key, first + slot.noise) - 0.08)
            // Some positions always have too little margin, and price moves liquidate more of these positions.
            const backgroundAmount = volatilityFactor * (0.3 + Math.abs(move)) *
              Math.exp(0.5 * drawNormal(key, first + slot.stray) - 0.125)
            return drawSinglePosition(
              referenceUsd * (excessShare * excessAmount * noise + backgroundShare * backgroundAmount),
              singlesKey,
              2 * bucket + side
            )
          }
          const longAmount = amount(fallExcess, pastFalls, 0)
          const shortAmount = amount(riseExcess, pastRises, 1)
          long[bucket] = longAmount
          short[bucket] = shortAmount
          hours[Math.floor(bucket * bucketMs / hourMs)]! += longAmount + shortAmount
        }
        pastFalls = excessDecay * (pastFalls + fallExcess)
        pastRises = excessDecay * (pastRises + riseExcess)
      }
      return amounts
    })
  }

  hourUsd(market: CoinMarket, time: number): number {
    const day = Math.floor(time / dayMs)
    return this.#day(market, day).hours[Math.floor((time - day * dayMs) / hourMs)]!
  }

  #bucket(market: CoinMarket, time: number): { readonly long: number; readonly short: number } {
    const day = Math.floor(time / dayMs)
    const { long, short } = this.#day(market, day)
    const index = Math.floor((time - day * dayMs) / bucketMs)
    return { long: long[index]!, short: short[index]! }
  }

  bucketUsd(market: CoinMarket, time: number): number {
    const { long, short } = this.#bucket(market, time)
    return long + short
  }

  #sizes(market: CoinMarket, time: number, side: "long" | "short"): ReadonlyArray<{ time: number; sizeUsd: number }> {
    const total = this.#bucket(market, time)[side]
    if (total < 1) return []
    const key = deriveKey(this.#key(market.spec.coin), Math.floor(time / bucketMs), side === "long" ? 1 : 2)
    const usdPerEvent = 4e-6 * this.referenceOpenInterestUsd(market) + 4_000
    const extraEvents = total < 4 * singlePosition.usd ? 0 : drawInteger(key, 0, 2)
    const count = Math.min(maxEventsPerSide, 1 + Math.floor(total / usdPerEvent) + extraEvents)
    const weights: Array<number> = []
    let sum = 0
    for (let i = 0; i < count; i++) {
      // Position sizes are Pareto distributed, with a tail exponent of 1.4, which gives a finite mean.
      const weight = drawUniform(key, 1 + 2 * i) ** (-1 / 1.4)
      weights.push(weight)
      sum += weight
    }
    return weights.map((weight, i) => ({
      time: time + 1000 * Math.floor(bucketMs / 1000 * drawUniform(key, 2 + 2 * i) ** 2),
      sizeUsd: Math.round(100 * total * weight / sum) / 100
    }))
  }

  /**
   * Returns the newest `limit` liquidations of at least `minSizeUsd`. The sums also include older liquidations of this
   * size in the interval.
   */
  tape(market: CoinMarket, from: number, to: number, minSizeUsd: number, limit: number, stepMs = Infinity): {
    readonly events: ReadonlyArray<Liquidation>
    readonly longUsd: number
    readonly shortUsd: number
    readonly count: number
    readonly truncated: boolean
    readonly steps: ReadonlyArray<LiquidationTotals>
  } {
    const events: Array<{ time: number; sizeUsd: number; side: "long" | "short" }> = []
    const sums = { long: 0, short: 0 }
    const begin = Math.max(market.listedAt, Math.floor(from / bucketMs) * bucketMs)
    for (let time = begin; time < to; time += bucketMs) {
      for (const side of ["long", "short"] as const) {
        for (const event of this.#sizes(market, time, side)) {
          if (event.time < from || event.time >= to || event.sizeUsd < minSizeUsd) continue
          events.push({ ...event, side })
          sums[side] += event.sizeUsd
        }
      }
    }
    events.sort((a, b) => a.time - b.time || a.sizeUsd - b.sizeUsd || a.side.localeCompare(b.side))
    const newestEvents = events.slice(Math.max(0, events.length - limit))
    return {
      events: newestEvents.map(({ time, side, sizeUsd }) => ({ time, side, sizeUsd, price: market.price(time) })),
      longUsd: sums.long,
      shortUsd: sums.short,
      count: events.length,
      truncated: newestEvents.length < events.length,
      steps: stepMs === Infinity ? [] : stepsFromEvents(events, { from, to, stepMs }, [], to)
    }
  }
}
