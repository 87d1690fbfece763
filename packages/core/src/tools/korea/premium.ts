import { kimchiPremium } from "@tapeline/quant"
import { formatInstant } from "../../engine/tool/result.ts"
import { percent, roundParts } from "../../engine/tool/rounding.ts"
import { type FxRate, isDailyRate } from "../../market/korea.ts"
import type { Reading } from "../../market/reading.ts"

/**
 * Splits a coin's Korean premium into an asset leg and a currency leg, as logarithms in percent. The rounded legs add
 * up exactly to the rounded premium.
 */
export const splitPremium = (prices: {
  readonly krwPrice: number
  readonly usdtPrice: number
  readonly usdtKrw: number
  readonly usdKrw: number
}) => {
  const { assetShare, currencyShare } = kimchiPremium(prices)
  const premium_pct = percent(100 * (currencyShare + assetShare))
  const [currency_leg_pct, asset_leg_pct] = roundParts([100 * currencyShare, 100 * assetShare], premium_pct, 4)
  return { premium_pct, currency_leg_pct: currency_leg_pct!, asset_leg_pct: asset_leg_pct! }
}

/** The fields of a result whose premium cannot be computed. */
export const unknownLegs = { premium_pct: null, currency_leg_pct: null, asset_leg_pct: null }

/** Returns a note if the exchange rate is published only once a day. */
export const makeDailyRateNotes = (usd: Reading<FxRate>, effect: string): ReadonlyArray<string> =>
  isDailyRate(usd)
    ? [
      `The dollar rate is the daily reference rate of ${
        formatInstant(usd.value.quotedAt)
      }: ${effect} later moves of the dollar.`
    ]
    : []
