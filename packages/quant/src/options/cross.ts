import { finite, notNegative, positive } from "../check.ts"
import { normalPdf } from "../normal.ts"

/** The result of {@link black76Cross}: how delta changes while the future is constant. Equal for call and put. */
export interface CrossGreeks {
  /** Delta per 1.00 (100 points) of volatility. */
  readonly vanna: number
  /** Delta per year of passing time; divide by 365 for a day. */
  readonly charm: number
}

/**
 * Vanna and charm of a European option on a future, at rate 0. The deltas of a call and a put differ by a constant, so
 * both have the same vanna and charm.
 *
 * Formula: `vanna = -n(d1) d2 / sigma`, `charm = n(d1) d2 / (2 T)`, d1 and d2 as {@link black76}. Units: vanna per 1.00
 * of sigma, charm per year of passing time. At expiry and with sigma 0, where delta is a step, both are 0.
 * Source: E. Haug, The Complete Guide to Option Pricing Formulas (2007), 2.2 (DdeltaDvol and DdeltaDtime).
 *
 * @throws RangeError when forward or strike is not above 0, years or sigma is negative, or anything is not finite.
 * @example
 * import { black76Cross } from "@tapeline/quant"
 * const option = black76Cross({ forward: 100, strike: 110, years: 0.25, sigma: 0.6 })
 * option.vanna // => 0.3066
 * option.charm // => -0.3680
 */
export function black76Cross(input: {
  readonly forward: number
  readonly strike: number
  readonly years: number
  readonly sigma: number
}): CrossGreeks {
  const { forward, strike, years, sigma } = input
  positive("black76Cross", "forward", forward)
  positive("black76Cross", "strike", strike)
  notNegative("black76Cross", "years", years)
  notNegative("black76Cross", "sigma", sigma)
  const v = sigma * Math.sqrt(years)
  finite("black76Cross", "sigma", v)
  if (v === 0) return { vanna: 0, charm: 0 }
  const d1 = Math.log(forward / strike) / v + 0.5 * v
  const density = normalPdf(d1)
  // Far from the money, the density vanishes before its factor has grown.
  if (density === 0) return { vanna: 0, charm: 0 }
  const weighted = density * (d1 - v)
  return { vanna: 0 - weighted / sigma, charm: weighted / (2 * years) + 0 }
}
