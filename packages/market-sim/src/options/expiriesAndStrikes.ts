/** Listed expiries and strikes, similar to those of Deribit; new strikes follow the price, and no strike is removed. */
import { dayMs, hourMs } from "@tapeline/core/market"
import { getLastFriday } from "../coin/Derivatives.ts"
import { BoundedCache } from "../kernel/cache.ts"

export type ExpiryKind = "daily" | "weekly" | "monthly" | "quarterly"

export interface ListedExpiry {
  readonly expiryAt: number
  /** The first midnight (UTC) at which the expiry is traded. */
  readonly listedAt: number
  readonly kind: ExpiryKind
}

/** The number of days between the listing and the expiry of an option, by kind of expiry. */
const lifetimeDays: Readonly<Record<ExpiryKind, number>> = { daily: 3, weekly: 36, monthly: 99, quarterly: 370 }

const kindsByLife: ReadonlyArray<ExpiryKind> = ["quarterly", "monthly", "weekly", "daily"]

const makeListedExpiry = (expiryAt: number, kind: ExpiryKind): ListedExpiry => ({
  expiryAt,
  listedAt: Math.floor(expiryAt / dayMs - lifetimeDays[kind]) * dayMs,
  kind
})

const getExpiryKind = (expiryAt: number): ExpiryKind => {
  const date = new Date(expiryAt)
  if (date.getUTCDay() !== 5) return "daily"
  if (getLastFriday(date.getUTCFullYear(), date.getUTCMonth()) !== expiryAt) return "weekly"
  return date.getUTCMonth() % 3 === 2 ? "quarterly" : "monthly"
}

const expiryCache = new BoundedCache<ListedExpiry>(4_096)

const getExpiryOfDay = (day: number): ListedExpiry =>
  expiryCache.get(day, () => {
    const expiryAt = day * dayMs + 8 * hourMs
    return makeListedExpiry(expiryAt, getExpiryKind(expiryAt))
  })

/** Returns the expiries of coin options that are listed and not expired at a time, ascending. */
export const getCoinExpiries = (time: number): ReadonlyArray<ListedExpiry> => {
  const expiries: Array<ListedExpiry> = []
  const today = Math.floor(time / dayMs)
  const addIfListed = (day: number): void => {
    const listed = getExpiryOfDay(day)
    if (listed.expiryAt > time && listed.listedAt <= time) expiries.push(listed)
  }
  for (let day = today; day <= today + lifetimeDays.daily; day++) addIfListed(day)
  // After the daily expiries, only Fridays are listed, and 1970-01-02 was a Friday.
  const firstWeeklyDay = today + lifetimeDays.daily + 1
  for (let day = firstWeeklyDay + (7 - (firstWeeklyDay - 1) % 7) % 7; day <= today + lifetimeDays.quarterly; day += 7) {
    addIfListed(day)
  }
  return expiries
}

/** The smallest distance between strikes as a fraction of the price, for an underlying with a volatility of 45 %. */
const fineStepShare: Readonly<Record<ExpiryKind, number>> = {
  daily: 0.006,
  weekly: 0.011,
  monthly: 0.022,
  quarterly: 0.05
}
/**
 * The strike grids of an expiry. `step` is a multiple of the smallest distance between strikes, and `reach` is a number
 * of standard deviations of the log price.
 */
const strikeGrids = [
  { step: 1, reach: 0.9 },
  { step: 2, reach: 1.6 },
  { step: 5, reach: 2.5 }
] as const

/** Rounds to the nearest 1, 2 or 5 times a power of ten, on a logarithmic scale. */
const roundStep = (x: number): number => {
  const power = 10 ** Math.floor(Math.log10(x))
  const mantissa = x / power
  return (mantissa < Math.SQRT2 ? 1 : mantissa < Math.sqrt(10) ? 2 : mantissa < Math.sqrt(50) ? 5 : 10) * power
}

/** A stage in the lifetime of an expiry, with the price extremes since the start of the stage. */
interface StrikeStage {
  readonly fineStepSize: number
  /** The usual standard deviation of the log return during the stage. */
  readonly lifetimeDeviation: number
  low: number
  high: number
}

/** A listed strike, and the distance to the neighbouring strikes. */
export interface ListedStrike {
  readonly strike: number
  readonly step: number
}

/** The strikes of one expiry. As the expiry approaches, strikes around the current price are added. */
export class StrikeLadder {
  readonly #expiry: ListedExpiry
  readonly #sigma: number
  readonly #stages: Array<StrikeStage> = []
  /**
   * The stages that the expiry has not reached yet, by kind of expiry. The stage with the longest lifetime is first.
   */
  readonly #shorterKinds: Array<ExpiryKind>
  #listed: ReadonlyArray<ListedStrike> | undefined

  /** Creates the strikes of a new expiry from the price at the listing and a usual volatility. */
  constructor(expiry: ListedExpiry, spot: number, sigma: number) {
    this.#expiry = expiry
    this.#sigma = sigma
    this.#shorterKinds = kindsByLife.slice(kindsByLife.indexOf(expiry.kind) + 1)
    this.#beginStage(expiry.kind, spot, (expiry.expiryAt - expiry.listedAt) / dayMs)
  }

  #beginStage(kind: ExpiryKind, spot: number, days: number): void {
    this.#stages.unshift({
      fineStepSize: roundStep(spot * fineStepShare[kind] * this.#sigma / 0.45),
      lifetimeDeviation: this.#sigma * Math.sqrt(Math.max(1, days) / 365),
      low: Infinity,
      high: 0
    })
  }

  addDay(day: number, spot: number): void {
    const days = this.#expiry.expiryAt / dayMs - day
    const [next] = this.#shorterKinds
    if (next !== undefined && days <= lifetimeDays[next]) {
      this.#shorterKinds.shift()
      this.#beginStage(next, spot, days)
    }
    for (const stage of this.#stages) {
      if (spot >= stage.low && spot <= stage.high) continue
      this.#listed = undefined
      stage.low = Math.min(stage.low, spot)
      stage.high = Math.max(stage.high, spot)
    }
  }

  strikes(): ReadonlyArray<ListedStrike> {
    return this.#listed ??= this.#buildStrikes()
  }

  #buildStrikes(): ReadonlyArray<ListedStrike> {
    const steps = new Map<number, number>()
    for (const { fineStepSize, high, lifetimeDeviation, low } of this.#stages) {
      for (const { step, reach } of strikeGrids) {
        const width = Math.exp(reach * lifetimeDeviation)
        const last = Math.floor(high * width / (step * fineStepSize))
        for (let i = Math.max(1, Math.ceil(low / width / (step * fineStepSize))); i <= last; i++) {
          const strike = Number((i * step * fineStepSize).toPrecision(12))
          if (!steps.has(strike)) steps.set(strike, step * fineStepSize)
        }
      }
    }
    return [...steps].sort(([a], [b]) => a - b).map(([strike, step]) => ({ strike, step }))
  }
}

/** Returns the relative demand for a strike, which is 1 for strikes that are not round. */
export const getRoundness = (strike: number): number => {
  const unit = 10 ** Math.floor(Math.log10(strike))
  const isMultipleOf = (step: number): boolean => Math.abs(strike / step - Math.round(strike / step)) < 1e-9
  if (isMultipleOf(unit)) return 3
  if (isMultipleOf(unit / 2)) return 2.2
  if (isMultipleOf(unit / 10)) return 1.5
  return isMultipleOf(unit / 20) ? 1.15 : 1
}
