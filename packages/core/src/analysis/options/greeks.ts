/** Computes the greeks of listed options with the Black-76 model from the expiry's own forward. A year has 365 days. */
import { black76, type Greeks } from "@tapeline/quant/options"
import type { OptionExpiry, OptionQuote } from "../../market/option.ts"
import { yearMs } from "./expiry.ts"
import { roundDelta, roundGreek } from "./precision.ts"

export interface GreekInputs {
  readonly forward: number
  readonly years: number
  /** The implied volatility, 1.00 = 100% a year. */
  readonly sigma: number
}

/**
 * Returns the Black-76 inputs of an option. Returns null if the forward or the volatility is missing, or if the option
 * has expired.
 */
export const getGreekInputs = (expiry: OptionExpiry, { ivPct }: OptionQuote, time: number): GreekInputs | null =>
  expiry.forward === null || ivPct === null || !(ivPct > 0) || !(expiry.expiryAt > time)
    ? null
    : { forward: expiry.forward, years: (expiry.expiryAt - time) / yearMs, sigma: ivPct / 100 }

/** The greeks of a long position of one unit. */
export interface OptionGreeks {
  /** The delta, in units of the underlying. */
  readonly delta: number
  /** The change of delta per 1 USD. */
  readonly gamma: number
  readonly thetaUsdPerDay: number
  /** The vega in USD per volatility point. */
  readonly vegaUsdPerPt: number
}

/** Rounds greeks to the precision that tool results display. */
const roundGreeks = ({ delta, gamma, theta, vega }: Greeks): OptionGreeks => ({
  delta: roundDelta(delta),
  gamma: roundGreek(gamma),
  thetaUsdPerDay: roundGreek(theta / 365),
  vegaUsdPerPt: roundGreek(vega / 100)
})

/**
 * Returns the greeks of a quote, discounted if the discount is known. Returns null without a forward or a volatility.
 */
export const computeGreeks = (expiry: OptionExpiry, quote: OptionQuote, time: number): OptionGreeks | null => {
  const inputs = getGreekInputs(expiry, quote, time)
  if (inputs === null) return null
  const { discount } = expiry
  const rate = discount === null || discount === 1 ? 0 : -Math.log(discount) / inputs.years
  return roundGreeks(black76({ ...inputs, rate, strike: quote.strike, type: quote.type }))
}
