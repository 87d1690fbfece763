import { kimchiPremium } from "@tapeline/quant"
import { parts, percent } from "../../engine/tool/rounding.ts"

/**
 * The premium of a coin against the won and its two legs, percent. The legs are logarithmic shares, and
 * add up to the premium as they are written.
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

/** Where a part is not known, nothing is. */
export const noLegs = { premium_pct: null, currency_leg_pct: null, asset_leg_pct: null }
