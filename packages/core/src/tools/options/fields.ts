import { Schema } from "effect"
import { deltaDigits, greekDigits } from "../../analysis/options/precision.ts"
import { maybe } from "../../engine/tool/result.ts"
import { level, percent } from "../../engine/tool/rounding.ts"

/** The Greeks of an option or structure in a result. */
export const greekFields = {
  delta: maybe("Units of the underlying, Black-76 on the expiry's own forward", deltaDigits),
  gamma: maybe("Delta per 1 USD", greekDigits),
  theta_usd_per_day: maybe("USD that a day takes away or adds", greekDigits),
  vega_usd_per_pt: maybe("USD per point of volatility", greekDigits)
}

/** One side of a strike. A row of a chain has a call and a put. */
export const OptionSide = Schema.Struct({
  bid: maybe("USD; null: nobody bids"),
  ask: maybe("USD; null: nobody offers"),
  mark: maybe("What the venue values it at, USD", level),
  iv_pct: maybe("Implied volatility of the mark, percent a year", percent),
  ...greekFields,
  oi: maybe("Open interest, units of the underlying"),
  volume_24h: maybe("Units traded in 24 hours")
})

/** A row of an option chain. */
export const ChainRow = Schema.Struct({
  strike: Schema.Finite.annotate({ description: "USD" }),
  call: Schema.NullOr(OptionSide),
  put: Schema.NullOr(OptionSide)
})

/** The smile of one maturity. */
export const smileFields = {
  atm: maybe("Implied volatility at the forward, percent a year", percent),
  rr25: maybe("IV of the 25-delta call less that of the 25-delta put, points: below 0, falls are dearer", percent),
  bf25: maybe("Mean IV of the two 25-delta wings less `atm`, points", percent)
}
