import { kimchiPremium } from "@tapeline/quant"
import type { KrwPoint } from "../../market/korea.ts"
import { parts, percent } from "../../tool/rounding.ts"

/**
 * The premium of a coin against the won and its two legs, percent. The legs are logarithmic shares, and
 * add up to the premium as they are written.
 */
export const legsOf = (point: Pick<KrwPoint, "krwPrice" | "usdtPrice" | "usdtKrw" | "usdKrw">) => {
  const { assetShare, currencyShare } = kimchiPremium(point)
  const premium_pct = percent(100 * (currencyShare + assetShare))
  const [currency_leg_pct, asset_leg_pct] = parts([100 * currencyShare, 100 * assetShare], premium_pct, 4)
  return { premium_pct, currency_leg_pct: currency_leg_pct!, asset_leg_pct: asset_leg_pct! }
}
