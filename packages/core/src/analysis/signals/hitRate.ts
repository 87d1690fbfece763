import { hitRate } from "@tapeline/quant/probability"

/** The horizons at which signals are evaluated, in hours after the entry. */
export const hitHorizons = [1, 4, 24] as const
export type HitHorizon = (typeof hitHorizons)[number]

export interface HorizonHits {
  readonly hours: HitHorizon
  /** The number of signals for which the time of the horizon has passed. */
  readonly n: number
  /** The share of signals with a return above 0 in the predicted direction; null for fewer than 20 signals. */
  readonly hitRate: number | null
  /** The lower bound of the 95% Wilson interval of `hitRate`. */
  readonly wilsonLow: number | null
  readonly wilsonHigh: number | null
  /** The mean return in the predicted direction, in percent. */
  readonly meanReturnPct: number | null
}

/** Computes the hit rate of one horizon. `returns` are in percent and positive if the predicted direction was right. */
export const computeHits = (hours: HitHorizon, returns: ReadonlyArray<number>): HorizonHits => {
  const n = returns.length
  const found = hitRate(returns.filter((percent) => percent > 0).length, n)
  return {
    hours,
    n,
    hitRate: found?.rate ?? null,
    wilsonLow: found?.low ?? null,
    wilsonHigh: found?.high ?? null,
    meanReturnPct: found === null ? null : returns.reduce((sum, percent) => sum + percent, 0) / n
  }
}
