/**
 * Liquidations of a coin's perpetual, per five minutes and one by one.
 *
 * Positions are closed by force where the price leaves its open by more than two of its typical five-minute
 * deviations, more than in proportion to the excess, and more again when the hour before had seen such
 * moves: the cascade feeds itself (a Hawkes-like kernel over realised excesses; see Hawkes, 1971, and
 * Bacry, Mastromatteo & Muzy, "Hawkes processes in finance", 2015). History, the last hour and open
 * interest all read these same events.
 */
import type { Liquidation } from "@tapeline/core/market/derivative"
import { dayMs, durationMs } from "@tapeline/core/market/timeframe"
import { BoundedCache } from "./cache.ts"
import type { CoinMarket } from "./coin-market.ts"
import { derive, integer, type Key, normal, uniform } from "./random.ts"

export const bucketMs = durationMs["5m"]
export const bucketsPerDay = dayMs / bucketMs

/** Excess moves are remembered for an hour, each bucket a quarter less. */
const memory = 12
const forgetting = 0.75

/** A day's liquidated value by bucket, USD. */
interface DayOfLiquidations {
  readonly long: Float64Array
  readonly short: Float64Array
}

/** Most events of one side in one bucket; the sizes of more would be dust. */
const mostEvents = 60
const cachedDays = 1024

const slot = { noise: 0, stray: 1 }

export class Liquidations {
  readonly #cache = new BoundedCache<DayOfLiquidations>(cachedDays)
  readonly #key: (coin: string) => Key

  constructor(key: (name: string) => Key) {
    this.#key = (coin) => key(`liquidations ${coin}`)
  }

  /** What the open interest is worth in quiet times, USD: the size that liquidations are proportional to. */
  referenceOpenInterestUsd(market: CoinMarket): number {
    return 0.9 * market.spec.dailyVolumeUsd
  }

  #day(market: CoinMarket, day: number): DayOfLiquidations {
    return this.#cache.get(`${market.spec.coin}/${day}`, () => {
      const from = day * dayMs
      const begin = Math.max(market.listedAt, from - memory * bucketMs)
      const long = new Float64Array(bucketsPerDay)
      const short = new Float64Array(bucketsPerDay)
      if (market.listedAt >= from + dayMs) return { long, short }
      const typical = market.spec.dailySd / Math.sqrt(bucketsPerDay)
      const reference = this.referenceOpenInterestUsd(market)
      const key = derive(this.#key(market.spec.coin), day, 0)
      let memoryOfFalls = 0
      let memoryOfRises = 0
      for (const candle of market.candles("5m", begin, from + dayMs, from + 2 * dayMs)) {
        const fall = Math.max(0, Math.log(candle.open / candle.low) / typical - 2)
        const rise = Math.max(0, Math.log(candle.high / candle.open) / typical - 2)
        const unrest = Math.log(candle.high / candle.low) / typical
        const bucket = Math.round((candle.time - from) / bucketMs)
        if (bucket >= 0) {
          const amount = (excess: number, past: number, side: number): number => {
            const forced = excess ** 1.6 + 0.15 * excess * past
            const noise = Math.exp(0.5 * normal(key, 4 * bucket + 2 * side + slot.noise) - 0.125)
            // Some position is always too thin: in proportion to how much the price moves about.
            const stray = unrest * Math.exp(0.6 * normal(key, 4 * bucket + 2 * side + slot.stray))
            return reference * (5e-5 * forced * noise + 1.2e-7 * stray)
          }
          long[bucket] = amount(fall, memoryOfFalls, 0)
          short[bucket] = amount(rise, memoryOfRises, 1)
        }
        memoryOfFalls = forgetting * (memoryOfFalls + fall)
        memoryOfRises = forgetting * (memoryOfRises + rise)
      }
      return { long, short }
    })
  }

  /** Value liquidated in the bucket that opens at `time`, USD, both sides. */
  bucketUsd(market: CoinMarket, time: number): number {
    const day = Math.floor(time / dayMs)
    const { long, short } = this.#day(market, day)
    const bucket = Math.floor((time - day * dayMs) / bucketMs)
    return long[bucket]! + short[bucket]!
  }

  /** Times and sizes of one side in the bucket that opens at `time`; unordered. */
  #sizes(market: CoinMarket, time: number, side: "long" | "short"): ReadonlyArray<{ time: number; sizeUsd: number }> {
    const day = Math.floor(time / dayMs)
    const total = this.#day(market, day)[side][Math.floor((time - day * dayMs) / bucketMs)]!
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

  /** Events with `from <= time < to` of at least `least` USD, oldest first, with the sums of all of them; the newest `limit` have their prices. */
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
