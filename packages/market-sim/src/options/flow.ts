/**
 * Trading in options, and the resulting open interest.
 *
 * Each instrument's trades of a day are drawn from the information that traders then have. Near expiries and
 * out-of-the-money strikes near the price trade most; round strikes trade more than others. A part of each day's volume
 * opens positions or, sometimes, closes them. Open interest therefore changes by no more than the volume. Open interest
 * concentrates at past prices and round strikes, and grows towards the expiry.
 */
import { dayMs, type OptionType } from "@tapeline/core/market"
import { BoundedCache } from "../kernel/cache.ts"
import { derive, type Key, normal, poisson, uniform } from "../kernel/random.ts"
import { type ExpiryKind, type ListedExpiry, type ListedStrike, roundness, StrikeLadder } from "./listing.ts"
import type { Underlying } from "./underlying.ts"

/** The weight of an expiry by its kind. The weight falls with the root of the remaining days. */
const kindWeight: Readonly<Record<ExpiryKind, number>> = { daily: 0.6, weekly: 1, monthly: 1.9, quarterly: 2.6 }
/** The sum of the weights of all expiries on a usual day. */
const totalWeight = 5.2
/**
 * The standard deviation of log trade sizes, and the share of a day's volume that opens positions. A negative share
 * means that most trades close positions.
 */
const sizeSd = 1.3
const opening = { least: -0.25, most: 0.8 }

const slot = { count: 0, opening: 1, day: 2, trade: 8, perTrade: 4 }

/** The day of an instrument, before its trades are drawn. */
interface Line {
  readonly strike: number
  readonly type: OptionType
  readonly key: Key
  readonly count: number
}

interface FlowTrade {
  readonly time: number
  readonly size: number
  readonly side: "buy" | "sell"
  /** A standard normal number: the deviation of the trade's price from the mark. */
  readonly luck: number
}

/** A trade with its instrument. */
export interface DealtTrade extends FlowTrade {
  readonly expiryAt: number
  readonly strike: number
  readonly type: OptionType
}

/** An instrument at a time: its open interest, and the volume of the last 24 hours or of the session. */
interface InstrumentFlow {
  readonly strike: number
  readonly type: OptionType
  readonly openInterest: number
  readonly volume24h: number
}

export class OptionFlow {
  readonly #of: Underlying
  readonly #ladders = new BoundedCache<ReadonlyArray<ListedStrike>>(512)
  readonly #stocks = new BoundedCache<ReadonlyMap<string, number>>(128)
  readonly #trades = new BoundedCache<
    ReadonlyArray<{ readonly line: Line; readonly trades: ReadonlyArray<FlowTrade> }>
  >(128)

  constructor(underlying: Underlying) {
    this.#of = underlying
  }

  #ladder(expiry: ListedExpiry): StrikeLadder {
    const spot = this.#of.morning(Math.floor(expiry.listedAt / dayMs)).spot
    return new StrikeLadder(expiry, spot, this.#of.usualVolatility)
  }

  /** The strikes of an expiry on a day, ascending. */
  strikes(expiry: ListedExpiry, day: number): ReadonlyArray<ListedStrike> {
    return this.#ladders.get(`${expiry.expiryAt}/${day}`, () => {
      const ladder = this.#ladder(expiry)
      for (let d = Math.floor(expiry.listedAt / dayMs); d <= day; d++) ladder.see(d, this.#of.morning(d).spot)
      return ladder.strikes()
    })
  }

  /** The instruments of an expiry with trades on a day, and the number of their trades. */
  #lines(
    expiry: ListedExpiry,
    day: number,
    strikes: ReadonlyArray<ListedStrike>
  ): ReadonlyArray<Line> {
    if (this.#of.activity(day) === 0) return []
    const { spot, sigma } = this.#of.morning(day)
    const start = day * dayMs
    const part = Math.min(1, (expiry.expiryAt - start) / dayMs)
    if (part <= 0) return []
    const daysLeft = Math.max(0.15, (expiry.expiryAt - start) / dayMs)
    const base = derive(this.#of.key, Math.round(expiry.expiryAt / 3_600_000), day)
    const busy = this.#of.activity(day) * (sigma / this.#of.usualVolatility) ** 0.5
      * Math.exp(0.25 * normal(base, slot.day))
    const expected = this.#of.dailyTrades * part * busy * kindWeight[expiry.kind] * (daysLeft + 0.5) ** -0.45 /
      totalWeight
    const deviation = Math.max(sigma, 0.3 * this.#of.usualVolatility) * Math.sqrt(daysLeft / 365)
    const lines: Array<Line> = []
    for (const [i, { strike, step }] of strikes.entries()) {
      const z = Math.log(strike / spot) / deviation
      if (Math.abs(z) > 6) continue
      const density = Math.min(1, step / (strike * deviation)) / 5 * roundness(strike)
      for (const type of ["call", "put"] as const) {
        const out = type === "call" ? z : -z
        // Calls trade slightly more than puts. Both trade mostly out of the money, with a long tail of cheap options.
        const wanted = (type === "call" ? 1.08 : 0.92) *
          Math.exp(-0.5 * Math.abs((out - 0.55) / (out > 0.55 ? 1.2 : 0.55)) ** 1.6)
        const key = derive(base, 2 * i + (type === "call" ? 1 : 0), Math.round(strike * 1000))
        const count = poisson(expected * density * wanted, key, slot.count)
        if (count > 0) lines.push({ strike, type, key, count })
      }
    }
    return lines
  }

  #size(key: Key, i: number): number {
    const { lot, medianSize } = this.#of
    const lots = Math.round(medianSize / lot * Math.exp(sizeSd * normal(key, slot.trade + slot.perTrade * i)))
    const size = Math.max(1, lots) * lot
    return Number.isInteger(size) ? size : Number(size.toPrecision(12))
  }

  /** The net opening per traded unit on the line's day. */
  #opening(line: Line): number {
    return opening.least + (opening.most - opening.least) * uniform(line.key, slot.opening)
  }

  #volume(line: Line): number {
    let sum = 0
    for (let i = 0; i < line.count; i++) sum += this.#size(line.key, i)
    return sum
  }

  /** The open interest of an expiry's instruments at the beginning of a day. */
  #openInterest(expiry: ListedExpiry, day: number): ReadonlyMap<string, number> {
    return this.#stocks.get(`${expiry.expiryAt}/${day}`, () => {
      const held = new Map<string, number>()
      const ladder = this.#ladder(expiry)
      for (let d = Math.floor(expiry.listedAt / dayMs); d < day; d++) {
        ladder.see(d, this.#of.morning(d).spot)
        for (const line of this.#lines(expiry, d, ladder.strikes())) {
          const name = `${line.type}${line.strike}`
          held.set(name, Math.max(0, (held.get(name) ?? 0) + this.#opening(line) * this.#volume(line)))
        }
      }
      return held
    })
  }

  /** All trades of an expiry on a day, by instrument. */
  #dayTrades(
    expiry: ListedExpiry,
    day: number
  ): ReadonlyArray<{ readonly line: Line; readonly trades: ReadonlyArray<FlowTrade> }> {
    return this.#trades.get(`${expiry.expiryAt}/${day}`, () => {
      if (day * dayMs < expiry.listedAt) return []
      const { lean } = this.#of.morning(day)
      const { from, to } = this.#of.hours(day)
      const length = Math.min(to, expiry.expiryAt) - from
      return this.#lines(expiry, day, this.strikes(expiry, day)).map((line) => {
        const buying = 0.51 + 0.09 * (line.type === "call" ? lean : -lean)
        const trades = Array.from({ length: line.count }, (_, i): FlowTrade => {
          const at = slot.trade + slot.perTrade * i
          return {
            time: from + Math.floor(length * uniform(line.key, at + 1)),
            size: this.#size(line.key, i),
            side: uniform(line.key, at + 2) < buying ? "buy" : "sell",
            luck: normal(line.key, at + 3)
          }
        })
        return { line, trades: trades.sort((a, b) => a.time - b.time) }
      })
    })
  }

  /** The open interest and volume of every instrument of an expiry at a time, by strike, calls first. */
  instruments(expiry: ListedExpiry, time: number): ReadonlyArray<InstrumentFlow> {
    const today = Math.floor(time / dayMs)
    const opened = new Map(this.#openInterest(expiry, today))
    const volumes = new Map<string, number>()
    const volumeFrom = this.#of.volumeFrom(time)
    for (const day of [today - 1, today]) {
      for (const { line, trades } of this.#dayTrades(expiry, day)) {
        const name = `${line.type}${line.strike}`
        let since = 0
        for (const trade of trades) {
          if (trade.time > time) break
          if (trade.time >= volumeFrom) volumes.set(name, (volumes.get(name) ?? 0) + trade.size)
          if (day === today) since += trade.size
        }
        if (since > 0) opened.set(name, Math.max(0, (opened.get(name) ?? 0) + this.#opening(line) * since))
      }
    }
    const { lot } = this.#of
    const tidy = (x: number): number => Number((Math.round(x / lot) * lot).toPrecision(12))
    return this.strikes(expiry, today).flatMap(({ strike }) =>
      (["call", "put"] as const).map((type) => ({
        strike,
        type,
        openInterest: tidy(opened.get(`${type}${strike}`) ?? 0),
        volume24h: tidy(volumes.get(`${type}${strike}`) ?? 0)
      }))
    )
  }

  /** The trades of all expiries on one day, oldest first. */
  trades(day: number): ReadonlyArray<DealtTrade> {
    const found = new Map<number, ListedExpiry>()
    for (const at of [day * dayMs, (day + 1) * dayMs - 1]) {
      for (const expiry of this.#of.expiries(at)) found.set(expiry.expiryAt, expiry)
    }
    return [...found.values()]
      .flatMap((expiry) =>
        this.#dayTrades(expiry, day).flatMap(({ line, trades }) =>
          trades.map((trade) => ({ ...trade, expiryAt: expiry.expiryAt, strike: line.strike, type: line.type }))
        )
      )
      .sort((a, b) =>
        a.time - b.time || a.expiryAt - b.expiryAt || a.strike - b.strike || a.type.localeCompare(b.type) ||
        a.size - b.size
      )
  }
}
