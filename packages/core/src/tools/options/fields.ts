import { Schema } from "effect"
import { roundDelta, roundGreek } from "../../analysis/options/precision.ts"
import { nullableQuantity } from "../../engine/tool/result.ts"
import { level, percent } from "../../engine/tool/rounding.ts"

export const greekFields = {
  delta: nullableQuantity("Units of the underlying, Black-76 with the forward of the expiry", roundDelta),
  gamma: nullableQuantity("Delta per 1 USD", roundGreek),
  theta_usd_per_day: nullableQuantity("Change in value per day, USD", roundGreek),
  vega_usd_per_pt: nullableQuantity("Change in value per point of volatility, USD", roundGreek)
}

/** The call or the put of a strike in results. */
export const OptionSide = Schema.Struct({
  bid: nullableQuantity("USD; null without a bid"),
  ask: nullableQuantity("USD; null without an ask"),
  mark: nullableQuantity("Mark price of the venue, USD", level),
  iv_pct: nullableQuantity("Implied volatility of the mark, percent a year", percent),
  ...greekFields,
  oi: nullableQuantity("Open interest, units of the underlying"),
  volume_24h: nullableQuantity("24-hour volume, units")
})

export const ChainRow = Schema.Struct({
  strike: Schema.Finite.annotate({ description: "USD" }),
  call: Schema.NullOr(OptionSide),
  put: Schema.NullOr(OptionSide)
})

export const smileFields = {
  atm: nullableQuantity("Implied volatility at the forward, percent a year", percent),
  rr25: nullableQuantity(
    "IV of the 25-delta call minus IV of the 25-delta put, points; below 0, falls are dearer",
    percent
  ),
  bf25: nullableQuantity("Mean IV of the two 25-delta wings minus `atm`, points", percent)
}
