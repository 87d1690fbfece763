import { kimchiPremium } from "@tapeline/quant"
import { parts, percent } from "../../engine/tool/rounding.ts"

/**
 * Splits the premium of a coin in won into its two legs, in percent. The legs are logarithmic shares; rounded, they add
 * up to the premium.
 */
export const legsOf = (point: {
  readonly krwPrice: number
  readonly usdtPrice: number
  readonly usdtKrw: number
  readonly usdKrw: number
}) => {
  const { assetShare, currencyShare } = kimchiPremium(point)
  const premium_pct = percent(100 * (currencyShare + assetShare))
  const [currency_leg_pct, asset_leg_pct] = parts([100 * currencyShare, 100 * assetShare], premium_pct, 4)
  return { premium_pct, currency_leg_pct: currency_leg_pct!, asset_leg_pct: asset_leg_pct! }
}

/** The legs if a part of the premium is unknown. */
export const noLegs = { premium_pct: null, currency_leg_pct: null, asset_leg_pct: null }
