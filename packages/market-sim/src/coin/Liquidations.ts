/**
 * Liquidations of a coin's perpetual: per five minutes, per hour, and one by one.
 *
 * Positions are closed by force in the five minutes after ones in which the price moved by more than its typical
 * deviation, more than in proportion to the excess, and more again when such moves came before: the cascade feeds
 * itself, and dies down over an hour (a Hawkes-like kernel over realised excesses; see Hawkes, 1971, and Bacry,
 * Mastromatteo & Muzy, "Hawkes processes in finance", 2015). What is closed within a bucket is settled by prices before
 * it, so that no event knows where the price goes next. History, the last hour and open interest all read these events.
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

/** Buckets whose excesses count: what is older is forgotten to within a hundredth. */
const memoryBuckets = 84
/** What is left of an excess after each bucket. */
const forgetting = 0.94
/** A bucket's move is in excess beyond this many typical deviations of a bucket. */
const calm = 1.6
/** How much of the remembered excesses falls due by itself, and how much an excess of now adds to them. */
const aftermath = 0.06
const contagion = 0.25

/** A day's liquidated value, USD: of each side by bucket, of both by hour. */
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

/** Shares of the reference that a unit of what falls due, and of unrest, closes. */
const dueShare = 5e-5
const strayShare = 7e-7
/** A coin that moves as much as this in a day has strays in that share; a wilder one has more. */
const strayDailySd = 0.023

/** Mean value of a single position, USD, and the standard deviation of its log. */
const single = { usd: 4_000, logSd: 1.1 }

/** Draws whether a bucket that is worth less than a single position has one or none; its mean stays the same. */
const drawSingle = (usd: number, key: Key, slot: number): number => {
  if (usd >= single.usd) return usd
  return uniform(key, 2 * slot) < usd / single.usd
    ? single.usd * Math.exp(single.logSd * normal(key, 2 * slot + 1) - single.logSd ** 2 / 2)
    : 0
}

/** Most events of one side in one bucket; the sizes of more would be dust. */
const mostEvents = 60

const slot = { noise: 0, stray: 1 }

export class Liquidations {
  readonly #days: BoundedCache<Amounts>
  /** The day that was read last: most reads go on within it, and a cache key takes longer to build than to look up. */
  #newest: { readonly market: CoinMarket; readonly day: number; readonly amounts: Amounts } | undefined
  readonly #key: (coin: string) => Key

  constructor(key: (name: string) => Key, cachedDays: number) {
    this.#days = new BoundedCache(cachedDays)
    this.#key = (coin) => key(`liquidations ${coin}`)
  }

  /** What the open interest is worth in quiet times, USD: the size that liquidations are proportional to. */
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
      // A bucket follows one that the price had.
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
            // Some position is always too thin: in proportion to how much the price moves about.
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

  /** Value liquidated in the hour that opens at `time`, USD, both sides. */
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

  /** Value liquidated in the bucket that opens at `time`, USD, both sides. */
  bucketUsd(market: CoinMarket, time: number): number {
    const { long, short } = this.#bucket(market, time)
    return long + short
  }

  /** Times and sizes of one side in the bucket that opens at `time`; unordered. */
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
      // Sizes of positions are Pareto distributed; a tail exponent of 1.4 keeps a mean.
      const weight = uniform(key, 1 + 2 * i) ** (-1 / 1.4)
      weights.push(weight)
      sum += weight
    }
    return weights.map((weight, i) => ({
      // Most of them at once, some when the margin of safety has been used up.
      time: time + 1000 * Math.floor(bucketMs / 1000 * uniform(key, 2 + 2 * i) ** 2),
      sizeUsd: Math.round(100 * total * weight / sum) / 100
    }))
  }

  /**
   * Events with `from <= time < to` of at least `least` USD, oldest first, with the sums of all of them, also by steps;
   * the newest `limit` have their prices.
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
