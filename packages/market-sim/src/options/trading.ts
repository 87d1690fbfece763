/** Simulates option trades and open interest from information that traders have at the beginning of a day. */
import { dayMs, type OptionType } from "@tapeline/core/market"
import { BoundedCache } from "../kernel/cache.ts"
import { deriveKey, drawNormal, drawPoisson, drawUniform, type Key } from "../kernel/random.ts"
import {
  type ExpiryKind,
  getRoundness,
  type ListedExpiry,
  type ListedStrike,
  StrikeLadder
} from "./expiriesAndStrikes.ts"
import type { Underlying } from "./underlying.ts"

/** The relative number of trades in the options of an expiry, by kind of expiry. */
// The weight of an expiry is about proportional to the square root of its remaining days.
const kindWeight: Readonly<Record<ExpiryKind, number>> = { daily: 0.6, weekly: 1, monthly: 1.9, quarterly: 2.6 }
/** The usual sum of the trading weights of all expiries. */
const totalWeight = 5.2
/** The standard deviation of the logarithm of trade sizes. */
const sizeSd = 1.3
/** Limits for the net fraction of a day's trades that open positions: opening trades minus closing trades. */
const openingShare = { minShare: -0.25, maxShare: 0.8 }

const slot = { count: 0, opening: 1, day: 2, trade: 8, perTrade: 4 }

/** The parameters for drawing the trades of one option on one day. */
interface InstrumentDay {
  readonly strike: number
  readonly type: OptionType
  readonly key: Key
  readonly count: number
}

interface FlowTrade {
  readonly time: number
  readonly size: number
  readonly side: "buy" | "sell"
  /** A standard normal number that determines the deviation of the trade's price from the mark price. */
  readonly priceNoise: number
}

export interface InstrumentTrade extends FlowTrade {
  readonly expiryAt: number
  readonly strike: number
  readonly type: OptionType
}

/** The open interest of an option at a time, and the volume of the last 24 hours or of the session. */
interface InstrumentFlow {
  readonly strike: number
  readonly type: OptionType
  readonly openInterest: number
  readonly volume24h: number
}

export class OptionFlow {
  readonly #underlying: Underlying
  readonly #ladders = new BoundedCache<ReadonlyArray<ListedStrike>>(512)
  readonly #openInterestByDay = new BoundedCache<ReadonlyMap<string, number>>(128)
  readonly #trades = new BoundedCache<
    ReadonlyArray<{ readonly line: InstrumentDay; readonly trades: ReadonlyArray<FlowTrade> }>
  >(128)

  constructor(underlying: Underlying) {
    this.#underlying = underlying
  }

  #makeLadder(expiry: ListedExpiry): StrikeLadder {
    const spot = this.#underlying.getMorning(Math.floor(expiry.listedAt / dayMs)).spot
    return new StrikeLadder(expiry, spot, this.#underlying.usualVolatility)
  }

  strikes(expiry: ListedExpiry, day: number): ReadonlyArray<ListedStrike> {
    return this.#ladders.get(`${expiry.expiryAt}/${day}`, () => {
      const ladder = this.#makeLadder(expiry)
      for (let d = Math.floor(expiry.listedAt / dayMs); d <= day; d++) {
        ladder.addDay(d, this.#underlying.getMorning(d).spot)
      }
      return ladder.strikes()
    })
  }

  /** Returns the options of an expiry that are traded on a day, with the number of their trades. */
  #makeInstrumentDays(
    expiry: ListedExpiry,
    day: number,
    strikes: ReadonlyArray<ListedStrike>
  ): ReadonlyArray<InstrumentDay> {
    if (this.#underlying.activity(day) === 0) return []
    const { spot, sigma } = this.#underlying.getMorning(day)
    const start = day * dayMs
    const dayFraction = Math.min(1, (expiry.expiryAt - start) / dayMs)
    if (dayFraction <= 0) return []
    const daysLeft = Math.max(0.15, (expiry.expiryAt - start) / dayMs)
    const base = deriveKey(this.#underlying.key, Math.round(expiry.expiryAt / 3_600_000), day)
    const activity = this.#underlying.activity(day) * (sigma / this.#underlying.usualVolatility) ** 0.5
      * Math.exp(0.25 * drawNormal(base, slot.day))
    const expected = this.#underlying.dailyTrades * dayFraction * activity * kindWeight[expiry.kind] *
      (daysLeft + 0.5) ** -0.45 /
      totalWeight
    const deviation = Math.max(sigma, 0.3 * this.#underlying.usualVolatility) * Math.sqrt(daysLeft / 365)
    const lines: Array<InstrumentDay> = []
    for (const [i, { strike, step }] of strikes.entries()) {
      const deviationsFromSpot = Math.log(strike / spot) / deviation
      if (Math.abs(deviationsFromSpot) > 6) continue
      const density = Math.min(1, step / (strike * deviation)) / 5 * getRoundness(strike)
      for (const type of ["call", "put"] as const) {
        const outOfTheMoneyDeviation = type === "call" ? deviationsFromSpot : -deviationsFromSpot
        // Calls trade slightly more than puts, and most trades are out of the money.
        const demand = (type === "call" ? 1.08 : 0.92) *
          Math.exp(
            -0.5 * Math.abs((outOfTheMoneyDeviation - 0.55) / (outOfTheMoneyDeviation > 0.55 ? 1.2 : 0.55)) ** 1.6
          )
        const key = deriveKey(base, 2 * i + (type === "call" ? 1 : 0), Math.round(strike * 1000))
        const count = drawPoisson(expected * density * demand, key, slot.count)
        if (count > 0) lines.push({ strike, type, key, count })
      }
    }
    return lines
  }

  #getTradeSize(key: Key, i: number): number {
    const { lot, medianSize } = this.#underlying
    const lots = Math.round(medianSize / lot * Math.exp(sizeSd * drawNormal(key, slot.trade + slot.perTrade * i)))
    const size = Math.max(1, lots) * lot
    return Number.isInteger(size) ? size : Number(size.toPrecision(12))
  }

  #getOpeningShare(line: InstrumentDay): number {
    return openingShare.minShare + (openingShare.maxShare - openingShare.minShare) * drawUniform(line.key, slot.opening)
  }

  #getVolume(line: InstrumentDay): number {
    let sum = 0
    for (let i = 0; i < line.count; i++) sum += this.#getTradeSize(line.key, i)
    return sum
  }

  /** Returns the open interest of an expiry's options at the beginning of a day. */
  #getOpenInterest(expiry: ListedExpiry, day: number): ReadonlyMap<string, number> {
    return this.#openInterestByDay.get(`${expiry.expiryAt}/${day}`, () => {
      const openInterest = new Map<string, number>()
      const ladder = this.#makeLadder(expiry)
      for (let d = Math.floor(expiry.listedAt / dayMs); d < day; d++) {
        ladder.addDay(d, this.#underlying.getMorning(d).spot)
        for (const line of this.#makeInstrumentDays(expiry, d, ladder.strikes())) {
          const name = `${line.type}${line.strike}`
          openInterest.set(
            name,
            Math.max(0, (openInterest.get(name) ?? 0) + this.#getOpeningShare(line) * this.#getVolume(line))
          )
        }
      }
      return openInterest
    })
  }

  #getDayTrades(
    expiry: ListedExpiry,
    day: number
  ): ReadonlyArray<{ readonly line: InstrumentDay; readonly trades: ReadonlyArray<FlowTrade> }> {
    return this.#trades.get(`${expiry.expiryAt}/${day}`, () => {
      if (day * dayMs < expiry.listedAt) return []
      const { direction } = this.#underlying.getMorning(day)
      const { from, to } = this.#underlying.hours(day)
      const length = Math.min(to, expiry.expiryAt) - from
      return this.#makeInstrumentDays(expiry, day, this.strikes(expiry, day)).map((line) => {
        const buyProbability = 0.51 + 0.09 * (line.type === "call" ? direction : -direction)
        const trades = Array.from({ length: line.count }, (_, i): FlowTrade => {
          const firstSlot = slot.trade + slot.perTrade * i
          return {
            time: from + Math.floor(length * drawUniform(line.key, firstSlot + 1)),
            size: this.#getTradeSize(line.key, i),
            side: drawUniform(line.key, firstSlot + 2) < buyProbability ? "buy" : "sell",
            priceNoise: drawNormal(line.key, firstSlot + 3)
          }
        })
        return { line, trades: trades.sort((a, b) => a.time - b.time) }
      })
    })
  }

  /**
   * Returns the open interest and volume of every option of an expiry at a time, sorted by strike. The call of a strike
   * precedes the put.
   */
  getInstruments(expiry: ListedExpiry, time: number): ReadonlyArray<InstrumentFlow> {
    const today = Math.floor(time / dayMs)
    const openInterest = new Map(this.#getOpenInterest(expiry, today))
    const volumes = new Map<string, number>()
    const volumeFrom = this.#underlying.getVolumeStart(time)
    for (const day of [today - 1, today]) {
      for (const { line, trades } of this.#getDayTrades(expiry, day)) {
        const name = `${line.type}${line.strike}`
        let volumeToday = 0
        for (const trade of trades) {
          if (trade.time > time) break
          if (trade.time >= volumeFrom) volumes.set(name, (volumes.get(name) ?? 0) + trade.size)
          if (day === today) volumeToday += trade.size
        }
        if (volumeToday > 0) {
          openInterest.set(name, Math.max(0, (openInterest.get(name) ?? 0) + this.#getOpeningShare(line) * volumeToday))
        }
      }
    }
    const { lot } = this.#underlying
    const roundToLot = (x: number): number => Number((Math.round(x / lot) * lot).toPrecision(12))
    return this.strikes(expiry, today).flatMap(({ strike }) =>
      (["call", "put"] as const).map((type) => ({
        strike,
        type,
        openInterest: roundToLot(openInterest.get(`${type}${strike}`) ?? 0),
        volume24h: roundToLot(volumes.get(`${type}${strike}`) ?? 0)
      }))
    )
  }

  trades(day: number): ReadonlyArray<InstrumentTrade> {
    const expiriesByTime = new Map<number, ListedExpiry>()
    for (const time of [day * dayMs, (day + 1) * dayMs - 1]) {
      for (const expiry of this.#underlying.expiries(time)) expiriesByTime.set(expiry.expiryAt, expiry)
    }
    return [...expiriesByTime.values()]
      .flatMap((expiry) =>
        this.#getDayTrades(expiry, day).flatMap(({ line, trades }) =>
          trades.map((trade) => ({ ...trade, expiryAt: expiry.expiryAt, strike: line.strike, type: line.type }))
        )
      )
      .sort((a, b) =>
        a.time - b.time || a.expiryAt - b.expiryAt || a.strike - b.strike || a.type.localeCompare(b.type) ||
        a.size - b.size
      )
  }
}
