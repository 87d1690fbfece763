/**
 * Liquidations of a coin's perpetual: per hour, per five minutes, and one by one.
 *
 * Positions are closed by force where the price leaves its open by more than its typical deviation, more
 * than in proportion to the excess, and more again when the hours before had seen such moves; within an
 * hour they fall where the price moved, by the same rule: the cascade feeds itself (a Hawkes-like kernel over realised
 * excesses; see Hawkes, 1971, and Bacry, Mastromatteo & Muzy, "Hawkes processes in finance", 2015). History, the last
 * hour and open interest all read these same events.
 */
import { type Candle, dayMs, durationMs, hourMs, type Liquidation } from "@tapeline/core/market"
import { BoundedCache } from "../kernel/cache.ts"
import { derive, integer, type Key, normal, uniform } from "../kernel/random.ts"
import type { CoinMarket } from "./CoinMarket.ts"

export const bucketMs = durationMs["5m"]
const bucketsPerHour = hourMs / bucketMs
const hoursPerDay = dayMs / hourMs

/** Excess moves are remembered for some hours, each hour half as much. */
const memoryHours = 8
const forgetting = 0.5
/** Within an hour, a bucket's excess is remembered by the next ones, each a quarter less. */
const forgettingWithin = 0.75
/**
 * An hour's move is in excess beyond this many typical deviations of an hour, a bucket's beyond this many of its own.
 */
const calmHour = 1.2
const calmBucket = 2

/** Liquidated value of one side, USD, by hour of a day or by bucket of an hour. */
interface Amounts {
  readonly long: Float64Array
  readonly short: Float64Array
}

const emptyAmounts = (length: number): Amounts => ({ long: new Float64Array(length), short: new Float64Array(length) })

/** Most events of one side in one bucket; the sizes of more would be dust. */
const mostEvents = 60
const cachedDays = 512
const cachedHours = 8192

const slot = { noise: 0, stray: 1 }

/** How far a candle's price went below and above its open, and in all, in deviations. */
const excursions = (candle: Candle, typical: number) => ({
  fall: Math.log(candle.open / candle.low) / typical,
  rise: Math.log(candle.high / candle.open) / typical,
  unrest: Math.log(candle.high / candle.low) / typical
})

export class Liquidations {
  readonly #days = new BoundedCache<Amounts>(cachedDays)
  readonly #hours = new BoundedCache<Amounts>(cachedHours)
  readonly #key: (coin: string) => Key

  constructor(key: (name: string) => Key) {
    this.#key = (coin) => key(`liquidations ${coin}`)
  }

  /** What the open interest is worth in quiet times, USD: the size that liquidations are proportional to. */
  referenceOpenInterestUsd(market: CoinMarket): number {
    return 0.9 * market.spec.dailyVolumeUsd
  }

  /** A day's amounts by hour. */
  #day(market: CoinMarket, day: number): Amounts {
    return this.#days.get(`${market.spec.coin}/${day}`, () => {
      const from = day * dayMs
      const amounts = emptyAmounts(hoursPerDay)
      if (market.listedAt >= from + dayMs) return amounts
      const begin = Math.max(market.listedAt, from - memoryHours * hourMs)
      const typical = market.spec.dailySd / Math.sqrt(hoursPerDay)
      const reference = this.referenceOpenInterestUsd(market)
      const key = derive(this.#key(market.spec.coin), day, 0)
      let pastFalls = 0
      let pastRises = 0
      for (const candle of market.candles("1h", begin, from + dayMs, from + 2 * dayMs)) {
        const { fall, rise, unrest } = excursions(candle, typical)
        const falling = Math.max(0, fall - calmHour)
        const rising = Math.max(0, rise - calmHour)
        const hour = Math.round((candle.time - from) / hourMs)
        if (hour >= 0) {
          const amount = (excess: number, past: number, side: number): number => {
            const first = 4 * hour + 2 * side
            const noise = Math.exp(0.4 * normal(key, first + slot.noise) - 0.08)
            // Some position is always too thin: in proportion to how much the price moves about.
            const stray = unrest * Math.exp(0.5 * normal(key, first + slot.stray))
            return reference * (3e-4 * (excess ** 1.6 + 0.35 * excess * past) * noise + 4e-6 * stray)
          }
          amounts.long[hour] = amount(falling, pastFalls, 0)
          amounts.short[hour] = amount(rising, pastRises, 1)
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
    const hour = Math.floor((time - day * dayMs) / hourMs)
    const { long, short } = this.#day(market, day)
    return long[hour]! + short[hour]!
  }

  /** An hour's amounts by bucket: its own divided by where in it the price moved. */
  #hour(market: CoinMarket, hourAt: number): Amounts {
    return this.#hours.get(`${market.spec.coin}/${hourAt}`, () => {
      const day = Math.floor(hourAt / dayMs)
      const hour = Math.floor((hourAt - day * dayMs) / hourMs)
      const whole = this.#day(market, day)
      const amounts = emptyAmounts(bucketsPerHour)
      const typical = market.spec.dailySd / Math.sqrt(dayMs / bucketMs)
      const divide = (side: "long" | "short"): void => {
        let past = 0
        let sum = 0
        const weights = candles.map((candle) => {
          const moved = excursions(candle, typical)
          const excess = Math.max(0, (side === "long" ? moved.fall : moved.rise) - calmBucket)
          const weight = excess ** 1.6 + 0.3 * excess * past + 0.05 * moved.unrest + 1e-6
          past = forgettingWithin * (past + excess)
          sum += weight
          return weight
        })
        weights.forEach((weight, i) => {
          amounts[side][i] = whole[side][hour]! * weight / sum
        })
      }
      const candles = market.candles("5m", hourAt, hourAt + hourMs, hourAt + 2 * hourMs)
      if (candles.length === bucketsPerHour) {
        divide("long")
        divide("short")
      }
      return amounts
    })
  }

  #bucket(market: CoinMarket, time: number): { readonly long: number; readonly short: number } {
    const hourAt = Math.floor(time / hourMs) * hourMs
    const { long, short } = this.#hour(market, hourAt)
    const index = Math.floor((time - hourAt) / bucketMs)
    return { long: long[index]!, short: short[index]! }
  }

  /** Value liquidated in the bucket that opens at `time`, USD, both sides; an hour's buckets add up to the hour. */
  bucketUsd(market: CoinMarket, time: number): number {
    const { long, short } = this.#bucket(market, time)
    return long + short
  }

  /** Times and sizes of one side in the bucket that opens at `time`; unordered. */
  #sizes(market: CoinMarket, time: number, side: "long" | "short"): ReadonlyArray<{ time: number; sizeUsd: number }> {
    const total = this.#bucket(market, time)[side]
    if (total < 1) return []
    const key = derive(this.#key(market.spec.coin), Math.floor(time / bucketMs), side === "long" ? 1 : 2)
    const typical = 4e-6 * this.referenceOpenInterestUsd(market) + 2000
    const count = Math.min(mostEvents, 1 + Math.floor(total / typical) + integer(key, 0, 2))
    const weights: Array<number> = []
    let sum = 0
    for (let i = 0; i < count; i++) {
      // Sizes of positions are Pareto distributed; a tail exponent of 1.4 keeps a mean.
      const weight = uniform(key, 1 + 2 * i) ** (-1 / 1.4)
      weights.push(weight)
      sum += weight
    }
    return weights.map((weight, i) => ({
      time: time + 1000 * integer(key, 2 + 2 * i, bucketMs / 1000),
      sizeUsd: Math.round(100 * total * weight / sum) / 100
    }))
  }

  /**
   * Events with `from <= time < to` of at least `least` USD, oldest first, with the sums of all of them; the newest
   * `limit` have their prices.
   */
  tape(market: CoinMarket, from: number, to: number, least: number, limit: number): {
    readonly events: ReadonlyArray<Liquidation>
    readonly longUsd: number
    readonly shortUsd: number
    readonly count: number
    readonly truncated: boolean
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
      truncated: kept.length < found.length
    }
  }
}
