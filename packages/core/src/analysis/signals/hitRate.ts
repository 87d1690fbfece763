import { hitRate } from "@tapeline/quant/probability"

/** Hours after the entry at which a signal is judged. */
export const hitHorizons = [1, 4, 24] as const
export type HitHorizon = (typeof hitHorizons)[number]

export interface HorizonHits {
  readonly hours: HitHorizon
  /** Signals whose horizon is over. */
  readonly n: number
  /** Share of them with a return above 0 in the signal's direction; null under 20 signals, like all below. */
  readonly hitRate: number | null
  /** 95 % Wilson interval of it. */
  readonly wilsonLow: number | null
  readonly wilsonHigh: number | null
  /** Percent. */
  readonly meanReturnPct: number | null
}

/** The hits of one horizon among a sample of returns in the signals' direction, percent. */
export const hitsOf = (hours: HitHorizon, returns: ReadonlyArray<number>): HorizonHits => {
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
