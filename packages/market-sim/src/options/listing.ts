/**
 * Listed expiries and strikes, similar to those of Deribit (its "Contract introduction policy"). Expiries are days,
 * Fridays, and the last Fridays of months and quarters, at 08:00 UTC. Strikes are close together near the price and
 * farther apart away from it. New strikes follow the price and are never removed.
 */
import { dayMs, hourMs } from "@tapeline/core/market"
import { lastFriday } from "../coin/Derivatives.ts"
import { BoundedCache } from "../kernel/cache.ts"

export type ExpiryKind = "daily" | "weekly" | "monthly" | "quarterly"

export interface ListedExpiry {
  readonly expiryAt: number
  /** The first midnight (UTC) at which it is traded. */
  readonly listedAt: number
  readonly kind: ExpiryKind
}

/** The number of days between listing and expiry. */
const lifeDays: Readonly<Record<ExpiryKind, number>> = { daily: 3, weekly: 36, monthly: 99, quarterly: 370 }

/** The kinds of expiries, longest life first. */
const kindsByLife: ReadonlyArray<ExpiryKind> = ["quarterly", "monthly", "weekly", "daily"]

const listedExpiry = (expiryAt: number, kind: ExpiryKind): ListedExpiry => ({
  expiryAt,
  listedAt: Math.floor(expiryAt / dayMs - lifeDays[kind]) * dayMs,
  kind
})

/** The kind of expiry at 08:00 UTC of a day, in the calendar of coins. */
const coinKind = (expiryAt: number): ExpiryKind => {
  const date = new Date(expiryAt)
  if (date.getUTCDay() !== 5) return "daily"
  if (lastFriday(date.getUTCFullYear(), date.getUTCMonth()) !== expiryAt) return "weekly"
  return date.getUTCMonth() % 3 === 2 ? "quarterly" : "monthly"
}

/** The expiries of recently requested days. */
const ofDays = new BoundedCache<ListedExpiry>(4_096)

const expiryOn = (day: number): ListedExpiry =>
  ofDays.get(day, () => {
    const expiryAt = day * dayMs + 8 * hourMs
    return listedExpiry(expiryAt, coinKind(expiryAt))
  })

/** The expiries of a coin that are listed and not expired at a time, ascending. */
export const coinExpiries = (time: number): ReadonlyArray<ListedExpiry> => {
  const found: Array<ListedExpiry> = []
  const today = Math.floor(time / dayMs)
  const take = (day: number): void => {
    const listed = expiryOn(day)
    if (listed.expiryAt > time && listed.listedAt <= time) found.push(listed)
  }
  for (let day = today; day <= today + lifeDays.daily; day++) take(day)
  // Beyond the daily expiries only Fridays are listed. 1970-01-02 was a Friday.
  const beyond = today + lifeDays.daily + 1
  for (let day = beyond + (7 - (beyond - 1) % 7) % 7; day <= today + lifeDays.quarterly; day += 7) take(day)
  return found
}

/** The distance between the closest strikes as a share of the price, for an underlying of 45 % volatility. */
const fineStep: Readonly<Record<ExpiryKind, number>> = { daily: 0.006, weekly: 0.011, monthly: 0.022, quarterly: 0.05 }
/** The grids of strikes: the step in fine steps, and the reach in deviations over the whole life of the expiry. */
const grids = [
  { step: 1, reach: 0.9 },
  { step: 2, reach: 1.6 },
  { step: 5, reach: 2.5 }
] as const

/** Rounds to 1, 2 or 5 times a power of ten, the closest on a logarithmic scale. */
const roundStep = (x: number): number => {
  const power = 10 ** Math.floor(Math.log10(x))
  const lead = x / power
  return (lead < Math.SQRT2 ? 1 : lead < Math.sqrt(10) ? 2 : lead < Math.sqrt(50) ? 5 : 10) * power
}

/** The range of prices with strikes of one fine step. */
interface Stage {
  readonly fine: number
  /** The usual deviation of the log price over the duration of the stage. */
  readonly life: number
  low: number
  high: number
}

/** A listed strike, and the distance to its neighbours. */
export interface ListedStrike {
  readonly strike: number
  readonly step: number
}

/**
 * The strikes of one expiry. Strikes are added and never removed. An expiry begins with the strikes of its kind. When
 * its remaining life is that of a shorter kind, it also gets the strikes of that kind, around the current price.
 */
export class StrikeLadder {
  readonly #expiry: ListedExpiry
  readonly #sigma: number
  readonly #stages: Array<Stage> = []
  /** The kinds whose stage has not begun, longest life first. */
  readonly #shorter: Array<ExpiryKind>
  #listed: ReadonlyArray<ListedStrike> | undefined

  /** `spot` is the price at the listing of the expiry, `sigma` a usual volatility of the underlying. */
  constructor(expiry: ListedExpiry, spot: number, sigma: number) {
    this.#expiry = expiry
    this.#sigma = sigma
    this.#shorter = kindsByLife.slice(kindsByLife.indexOf(expiry.kind) + 1)
    this.#begin(expiry.kind, spot, (expiry.expiryAt - expiry.listedAt) / dayMs)
  }

  #begin(kind: ExpiryKind, spot: number, days: number): void {
    this.#stages.unshift({
      fine: roundStep(spot * fineStep[kind] * this.#sigma / 0.45),
      life: this.#sigma * Math.sqrt(Math.max(1, days) / 365),
      low: Infinity,
      high: 0
    })
  }

  /** Adds strikes for a day (UTC) and the price at its beginning. */
  see(day: number, spot: number): void {
    const days = this.#expiry.expiryAt / dayMs - day
    const [next] = this.#shorter
    if (next !== undefined && days <= lifeDays[next]) {
      this.#shorter.shift()
      this.#begin(next, spot, days)
    }
    for (const stage of this.#stages) {
      if (spot >= stage.low && spot <= stage.high) continue
      this.#listed = undefined
      stage.low = Math.min(stage.low, spot)
      stage.high = Math.max(stage.high, spot)
    }
  }

  /** All strikes listed so far, ascending. */
  strikes(): ReadonlyArray<ListedStrike> {
    return this.#listed ??= this.#list()
  }

  #list(): ReadonlyArray<ListedStrike> {
    const steps = new Map<number, number>()
    for (const { fine, high, life, low } of this.#stages) {
      for (const { step, reach } of grids) {
        const width = Math.exp(reach * life)
        const last = Math.floor(high * width / (step * fine))
        for (let i = Math.max(1, Math.ceil(low / width / (step * fine))); i <= last; i++) {
          const strike = Number((i * step * fine).toPrecision(12))
          if (!steps.has(strike)) steps.set(strike, step * fine)
        }
      }
    }
    return [...steps].sort(([a], [b]) => a - b).map(([strike, step]) => ({ strike, step }))
  }
}

/** The preference of holders for a round strike: 1 for a strike that is not round. */
export const roundness = (strike: number): number => {
  const unit = 10 ** Math.floor(Math.log10(strike))
  const divides = (step: number): boolean => Math.abs(strike / step - Math.round(strike / step)) < 1e-9
  if (divides(unit)) return 3
  if (divides(unit / 2)) return 2.2
  if (divides(unit / 10)) return 1.5
  return divides(unit / 20) ? 1.15 : 1
}
