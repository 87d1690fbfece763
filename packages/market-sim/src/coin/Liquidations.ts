/**
 * Liquidations of a coin's perpetual: per five minutes, per hour, and single events.
 *
 * Positions are liquidated in the five minutes after a price move larger than its typical deviation. The amount grows
 * more than in proportion to the excess, and more if other large moves came before. The cascade amplifies itself and
 * decays over an hour. The model is a Hawkes-like kernel over realised excesses: see Hawkes, 1971, and Bacry,
 * Mastromatteo & Muzy, "Hawkes processes in finance", 2015. The amount in a bucket depends only on earlier prices, so
 * no event predicts the price. History, the last hour and open interest all use these events.
 */
import {
  dayMs,
  durationMs,
  hourMs,
  type Liquidation,
  liquidationSteps,
  type LiquidationSums
} from "@tapeline/core/market"
import { BoundedCache } from "../kernel/cache.ts"
import { derive, integer, type Key, normal, uniform } from "../kernel/random.ts"
import type { CoinMarket } from "./CoinMarket.ts"

export const bucketMs = durationMs["5m"]
const bucketsPerDay = dayMs / bucketMs

/** The number of buckets whose excesses count. Older ones have decayed to less than a hundredth. */
const memoryBuckets = 84
/** The remaining share of an excess after each bucket. */
const forgetting = 0.94
/** The number of typical deviations of a bucket beyond which a move is in excess. */
const calm = 1.6
/** The share of past excesses that is liquidated independently, and the amount that a new excess adds. */
const aftermath = 0.06
const contagion = 0.25

/** The liquidated value of a day in USD: of each side by bucket, of both sides by hour. */
interface Amounts {
  readonly long: Float64Array
  readonly short: Float64Array
  readonly hours: Float64Array
}

const noAmounts = (): Amounts => ({
  long: new Float64Array(bucketsPerDay),
  short: new Float64Array(bucketsPerDay),
  hours: new Float64Array(dayMs / hourMs)
})

/** The shares of the reference that are liquidated for each unit of due excess and of unrest. */
const dueShare = 5e-5
const strayShare = 7e-7
/** The daily deviation of a coin whose stray liquidations have this share. A more volatile coin has more. */
const strayDailySd = 0.023

/** The mean value of a single position in USD, and the standard deviation of its logarithm. */
const single = { usd: 4_000, logSd: 1.1 }

/**
 * Draws whether a bucket with less than the value of a single position has one position or no position. The mean does
 * not change.
 */
const drawSingle = (usd: number, key: Key, slot: number): number => {
  if (usd >= single.usd) return usd
  return uniform(key, 2 * slot) < usd / single.usd
    ? single.usd * Math.exp(single.logSd * normal(key, 2 * slot + 1) - single.logSd ** 2 / 2)
    : 0
}

/** The maximum number of events of one side in one bucket. More events would be negligibly small. */
const mostEvents = 60

const slot = { noise: 0, stray: 1 }

export class Liquidations {
  readonly #days: BoundedCache<Amounts>
  /** The last day that was read. Most reads stay within it, and building a cache key takes longer than a lookup. */
  #newest: { readonly market: CoinMarket; readonly day: number; readonly amounts: Amounts } | undefined
  readonly #key: (coin: string) => Key

  constructor(key: (name: string) => Key, cachedDays: number) {
    this.#days = new BoundedCache(cachedDays)
    this.#key = (coin) => key(`liquidations ${coin}`)
  }

  /** The open interest in quiet times, in USD. Liquidations are proportional to it. */
  referenceOpenInterestUsd(market: CoinMarket): number {
    return 0.9 * market.spec.dailyVolumeUsd
  }

  #day(market: CoinMarket, day: number): Amounts {
    if (this.#newest?.market !== market || this.#newest.day !== day) {
      this.#newest = { market, day, amounts: this.#cachedDay(market, day) }
    }
    return this.#newest.amounts
  }

  #cachedDay(market: CoinMarket, day: number): Amounts {
    return this.#days.get(`${market.spec.coin}/${day}`, () => {
      const from = day * dayMs
      const amounts = noAmounts()
      const { hours, long, short } = amounts
      // A bucket depends on the bucket before it, so the first one begins a bucket after the listing.
      const begin = Math.max(market.listedAt + bucketMs, from - memoryBuckets * bucketMs)
      if (begin >= from + dayMs) return amounts
      const typical = market.spec.dailySd / Math.sqrt(bucketsPerDay)
      const reference = this.referenceOpenInterestUsd(market)
      const wildness = (market.spec.dailySd / strayDailySd) ** 2
      const key = derive(this.#key(market.spec.coin), day, 0)
      const singles = derive(this.#key(market.spec.coin), day, 3)
      let pastFalls = 0
      let pastRises = 0
      let before = market.logPrice(begin - bucketMs)
      const [yesterday, today] = [begin < from ? market.fiveMinuteCloses(day - 1) : [], market.fiveMinuteCloses(day)]
      for (let time = begin; time < from + dayMs; time += bucketMs) {
        const place = Math.round((time - from) / bucketMs) - 1
        const price = place < 0 ? yesterday[place + bucketsPerDay]! : today[place]!
        const move = (price - before) / typical
        before = price
        const falling = Math.max(0, -move - calm)
        const rising = Math.max(0, move - calm)
        const bucket = Math.round((time - from) / bucketMs)
        if (bucket >= 0) {
          const amount = (excess: number, past: number, side: number): number => {
            const first = 4 * bucket + 2 * side
            const due = excess ** 1.6 + contagion * excess * past + aftermath * past
            const noise = Math.exp(0.4 * normal(key, first + slot.noise) - 0.08)
            // Some positions always have too little margin, in proportion to the price movement.
            const stray = wildness * (0.3 + Math.abs(move)) * Math.exp(0.5 * normal(key, first + slot.stray) - 0.125)
            return drawSingle(reference * (dueShare * due * noise + strayShare * stray), singles, 2 * bucket + side)
          }
          const ofLongs = amount(falling, pastFalls, 0)
          const ofShorts = amount(rising, pastRises, 1)
          long[bucket] = ofLongs
          short[bucket] = ofShorts
          hours[Math.floor(bucket * bucketMs / hourMs)]! += ofLongs + ofShorts
        }
        pastFalls = forgetting * (pastFalls + falling)
        pastRises = forgetting * (pastRises + rising)
      }
      return amounts
    })
  }

  /** The value liquidated in the hour that opens at `time`, in USD, for both sides. */
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

  /** The value liquidated in the bucket that opens at `time`, in USD, for both sides. */
  bucketUsd(market: CoinMarket, time: number): number {
    const { long, short } = this.#bucket(market, time)
    return long + short
  }

  /** The times and sizes of one side in the bucket that opens at `time`, unordered. */
  #sizes(market: CoinMarket, time: number, side: "long" | "short"): ReadonlyArray<{ time: number; sizeUsd: number }> {
    const total = this.#bucket(market, time)[side]
    if (total < 1) return []
    const key = derive(this.#key(market.spec.coin), Math.floor(time / bucketMs), side === "long" ? 1 : 2)
    const typical = 4e-6 * this.referenceOpenInterestUsd(market) + 4_000
    const more = total < 4 * single.usd ? 0 : integer(key, 0, 2)
    const count = Math.min(mostEvents, 1 + Math.floor(total / typical) + more)
    const weights: Array<number> = []
    let sum = 0
    for (let i = 0; i < count; i++) {
      // Position sizes are Pareto distributed. A tail exponent of 1.4 gives a finite mean.
      const weight = uniform(key, 1 + 2 * i) ** (-1 / 1.4)
      weights.push(weight)
      sum += weight
    }
    return weights.map((weight, i) => ({
      // Most positions are closed at once, some after their safety margin has been used up.
      time: time + 1000 * Math.floor(bucketMs / 1000 * uniform(key, 2 + 2 * i) ** 2),
      sizeUsd: Math.round(100 * total * weight / sum) / 100
    }))
  }

  /**
   * The events of at least `least` USD with `from <= time < to`, oldest first, and their sums, in total and by step.
   * Only the newest `limit` events are returned.
   */
  tape(market: CoinMarket, from: number, to: number, least: number, limit: number, stepMs = Infinity): {
    readonly events: ReadonlyArray<Liquidation>
    readonly longUsd: number
    readonly shortUsd: number
    readonly count: number
    readonly truncated: boolean
    readonly steps: ReadonlyArray<LiquidationSums>
  } {
    const found: Array<{ time: number; sizeUsd: number; side: "long" | "short" }> = []
    const sums = { long: 0, short: 0 }
    const begin = Math.max(market.listedAt, Math.floor(from / bucketMs) * bucketMs)
    for (let time = begin; time < to; time += bucketMs) {
      for (const side of ["long", "short"] as const) {
        for (const event of this.#sizes(market, time, side)) {
          if (event.time < from || event.time >= to || event.sizeUsd < least) continue
          found.push({ ...event, side })
          sums[side] += event.sizeUsd
        }
      }
    }
    found.sort((a, b) => a.time - b.time || a.sizeUsd - b.sizeUsd || a.side.localeCompare(b.side))
    const kept = found.slice(Math.max(0, found.length - limit))
    return {
      events: kept.map(({ time, side, sizeUsd }) => ({ time, side, sizeUsd, price: market.price(time) })),
      longUsd: sums.long,
      shortUsd: sums.short,
      count: found.length,
      truncated: kept.length < found.length,
      steps: stepMs === Infinity ? [] : liquidationSteps(found, { from, to, stepMs }, [], to)
    }
  }
}
