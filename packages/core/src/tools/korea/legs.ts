import { kimchiPremium } from "@tapeline/quant"
import type { KrwPoint } from "../../market/korea.ts"

/**
 * The premium of a coin against the won and its two legs, percent. The legs are logarithmic shares; the premium is
 * taken as their sum, so that they add up to the last digit.
 */
export const legsOf = (point: Pick<KrwPoint, "krwPrice" | "usdtPrice" | "usdtKrw" | "usdKrw">) => {
  const { assetShare, currencyShare } = kimchiPremium(point)
  const currency_leg_pct = currencyShare * 100
  const asset_leg_pct = assetShare * 100
  return { premium_pct: currency_leg_pct + asset_leg_pct, currency_leg_pct, asset_leg_pct }
}
