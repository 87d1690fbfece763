/**
 * Listed expiries and strikes, in the manner of Deribit (its "Contract introduction policy"): dailies,
 * Fridays, last Fridays of months and of quarters at 08:00 UTC; strikes close together around the price
 * and wider apart away from it, added where the price goes and never removed.
 */
import { dayMs, hourMs } from "@tapeline/core/market"
import { lastFriday } from "../coin/Derivatives.ts"
import { BoundedCache } from "../kernel/cache.ts"

export type ExpiryKind = "daily" | "weekly" | "monthly" | "quarterly"

export interface ListedExpiry {
  readonly expiryAt: number
  /** First midnight (UTC) at which it is traded. */
  readonly listedAt: number
  readonly kind: ExpiryKind
}

/** Days between listing and expiry. */
const lifeDays: Readonly<Record<ExpiryKind, number>> = { daily: 3, weekly: 36, monthly: 99, quarterly: 370 }

const listedExpiry = (expiryAt: number, kind: ExpiryKind): ListedExpiry => ({
  expiryAt,
  listedAt: Math.floor(expiryAt / dayMs - lifeDays[kind]) * dayMs,
  kind
})

/** What kind of expiry a day's 08:00 UTC is on a coin's calendar. */
const coinKind = (expiryAt: number): ExpiryKind => {
  const date = new Date(expiryAt)
  if (date.getUTCDay() !== 5) return "daily"
  if (lastFriday(date.getUTCFullYear(), date.getUTCMonth()) !== expiryAt) return "weekly"
  return date.getUTCMonth() % 3 === 2 ? "quarterly" : "monthly"
}

/** What expires on a day, of the days that were asked about last. */
const ofDays = new BoundedCache<ListedExpiry>(4_096)

const expiryOn = (day: number): ListedExpiry =>
  ofDays.get(day, () => {
    const expiryAt = day * dayMs + 8 * hourMs
    return listedExpiry(expiryAt, coinKind(expiryAt))
  })

/** A coin's expiries that are listed and not expired at an instant, ascending. */
export const coinExpiries = (time: number): ReadonlyArray<ListedExpiry> => {
  const found: Array<ListedExpiry> = []
  const today = Math.floor(time / dayMs)
  const take = (day: number): void => {
    const listed = expiryOn(day)
    if (listed.expiryAt > time && listed.listedAt <= time) found.push(listed)
  }
  for (let day = today; day <= today + lifeDays.daily; day++) take(day)
  // Beyond the dailies only Fridays are listed; 1970-01-02 was one.
  const beyond = today + lifeDays.daily + 1
  for (let day = beyond + (7 - (beyond - 1) % 7) % 7; day <= today + lifeDays.quarterly; day += 7) take(day)
  return found
}

/** Distance of the closest strikes as a share of the price, for an underlying of 45 % volatility. */
const fineStep: Readonly<Record<ExpiryKind, number>> = { daily: 0.006, weekly: 0.011, monthly: 0.022, quarterly: 0.05 }
/** Each grid: its step in fine ones, and how far it reaches in deviations over the expiry's whole life. */
const grids = [
  { step: 1, reach: 0.9 },
  { step: 2, reach: 1.6 },
  { step: 5, reach: 2.5 }
] as const

/** 1, 2 or 5 times a power of ten, the closest on a logarithmic scale. */
const roundStep = (x: number): number => {
  const power = 10 ** Math.floor(Math.log10(x))
  const lead = x / power
  return (lead < Math.SQRT2 ? 1 : lead < Math.sqrt(10) ? 2 : lead < Math.sqrt(50) ? 5 : 10) * power
}

/** The strikes of one expiry, which only grow in number. */
export class StrikeLadder {
  readonly #fine: number
  readonly #life: number
  #low = Infinity
  #high = 0
  #listed: ReadonlyArray<{ readonly strike: number; readonly step: number }> | undefined

  /** `spot` is the price when the expiry was listed, `sigma` a usual volatility of the underlying. */
  constructor(expiry: ListedExpiry, spot: number, sigma: number) {
    this.#fine = roundStep(spot * fineStep[expiry.kind] * sigma / 0.45)
    this.#life = sigma * Math.sqrt(Math.max(1, (expiry.expiryAt - expiry.listedAt) / dayMs) / 365)
  }

  /** Takes account of a price that the underlying has reached. */
  see(spot: number): void {
    if (spot >= this.#low && spot <= this.#high) return
    this.#listed = undefined
    this.#low = Math.min(this.#low, spot)
    this.#high = Math.max(this.#high, spot)
  }

  /** Every strike listed so far with the distance to its neighbours, ascending. */
  strikes(): ReadonlyArray<{ readonly strike: number; readonly step: number }> {
    return this.#listed ??= this.#list()
  }

  #list(): ReadonlyArray<{ readonly strike: number; readonly step: number }> {
    const steps = new Map<number, number>()
    for (const { step, reach } of grids) {
      const width = Math.exp(reach * this.#life)
      const last = Math.floor(this.#high * width / (step * this.#fine))
      for (let i = Math.max(1, Math.ceil(this.#low / width / (step * this.#fine))); i <= last; i++) {
        const count = i * step
        if (!steps.has(count)) steps.set(count, step * this.#fine)
      }
    }
    return [...steps.entries()]
      .sort(([a], [b]) => a - b)
      .map(([count, step]) => ({ strike: Number((count * this.#fine).toPrecision(12)), step }))
  }
}

/** How much holders prefer a strike for being round: 1 for an odd one. */
export const roundness = (strike: number): number => {
  const unit = 10 ** Math.floor(Math.log10(strike))
  const divides = (step: number): boolean => Math.abs(strike / step - Math.round(strike / step)) < 1e-9
  if (divides(unit)) return 3
  if (divides(unit / 2)) return 2.2
  if (divides(unit / 10)) return 1.5
  return divides(unit / 20) ? 1.15 : 1
}
