import { checkFinite, checkFiniteSeries, checkInteger, checkNotNegative, checkPositive, type Series } from "./check.ts"
import { zScore } from "./volatility/correlation.ts"

/**
 * Funding rate annualised without compounding.
 *
 * Formula: `rate * intervalsPerDay * 365`. Unit: the unit of `rate`. A rate of 0.0001 (0.01 %) gives 0.1095 (10.95 %) a
 * year. By default, a day has three funding intervals of 8 hours.
 * Source: Binance, funding rate.
 *
 * @throws RangeError when rate is not finite or intervalsPerDay is not above 0.
 * @example
 * import { fundingAnnualised } from "@tapeline/quant"
 * fundingAnnualised(0.0001) // => 0.1095
 */
export function fundingAnnualised(rate: number, intervalsPerDay = 3): number {
  checkFinite("fundingAnnualised", "rate", rate)
  checkPositive("fundingAnnualised", "intervalsPerDay", intervalsPerDay)
  return rate * intervalsPerDay * 365
}

/**
 * Z-score of the current funding rate against the earlier rates.
 *
 * Formula: `(current - mean) / sd`, where `mean` and the sample standard deviation `sd` are taken over the last
 * `window` (90 by default) rates of `preceding`. Unit: standard deviations. Returns null if there are fewer than 2
 * earlier rates, or if all earlier rates are equal.
 * Source: definition of a z-score.
 *
 * @throws RangeError when a value is not finite or window is not a whole number of at least 2.
 * @example
 * import { fundingZ } from "@tapeline/quant"
 * fundingZ(0.0004, [0.0001, 0.0002, 0.0003]) // => 2
 */
export function fundingZ(current: number, preceding: Series, window = 90): number | null {
  checkInteger("fundingZ", "window", window, 2)
  checkFinite("fundingZ", "current", current)
  checkFiniteSeries("fundingZ", "preceding", preceding)
  return zScore(current, Array.from(preceding).slice(-window))
}

/**
 * Share of taker volume that consists of purchases.
 *
 * Formula: `buy / (buy + sell)`. Unit: a number from 0 to 1. Returns null without volume.
 * Source: Coinglass, taker buy/sell volume.
 *
 * @throws RangeError when a volume is negative or not finite.
 * @example
 * import { takerBuyShare } from "@tapeline/quant"
 * takerBuyShare(3, 1) // => 0.75
 */
export function takerBuyShare(buy: number, sell: number): number | null {
  checkNotNegative("takerBuyShare", "buy", buy)
  checkNotNegative("takerBuyShare", "sell", sell)
  return buy + sell > 0 ? buy / (buy + sell) : null
}

/**
 * Skew of liquidations between short and long positions.
 *
 * Formula: `(short - long) / (short + long)` of the liquidated amounts. Unit: a number from -1 to 1, above 0 when more
 * shorts than longs were liquidated. Returns null without liquidations.
 * Source: definition of a normalised difference.
 *
 * @throws RangeError when an amount is negative or not finite.
 * @example
 * import { liquidationSkew } from "@tapeline/quant"
 * liquidationSkew({ long: 1e6, short: 3e6 }) // => 0.5
 */
export function liquidationSkew(amounts: { readonly long: number; readonly short: number }): number | null {
  const { long, short } = amounts
  checkNotNegative("liquidationSkew", "long", long)
  checkNotNegative("liquidationSkew", "short", short)
  return long + short > 0 ? (short - long) / (short + long) : null
}

/**
 * Change of open interest, in coin and in USD.
 *
 * Formula: `100 * (now / before - 1)` of the coin amount and of the USD value. Unit: percent. The USD value changes
 * even if only the price changes. A change of the coin amount shows whether traders opened or closed positions. Returns
 * nulls if the earlier open interest was 0.
 * Source: definition of a relative change.
 *
 * @throws RangeError when an amount is negative or a price is not above 0.
 * @example
 * import { openInterestChange } from "@tapeline/quant"
 * openInterestChange({ coin: 100, price: 50 }, { coin: 110, price: 60 }) // => { coinPct: 10, usdPct: 32 }
 */
export function openInterestChange(
  before: { readonly coin: number; readonly price: number },
  now: { readonly coin: number; readonly price: number }
): { readonly coinPct: number | null; readonly usdPct: number | null } {
  for (const { coin, price } of [before, now]) {
    checkNotNegative("openInterestChange", "coin", coin)
    checkPositive("openInterestChange", "price", price)
  }
  if (before.coin === 0) return { coinPct: null, usdPct: null }
  return {
    coinPct: 100 * (now.coin / before.coin - 1),
    usdPct: 100 * ((now.coin * now.price) / (before.coin * before.price) - 1)
  }
}

/**
 * Basis of a future (or perpetual) over spot.
 *
 * Formula: `basis = future / spot - 1`, annualised `basis / years` without compounding. Unit: 0.01 = 1 %. `annualised`
 * is null for a perpetual (without `years`) and at expiry.
 * Source: Hull, Options, Futures and Other Derivatives, "basis".
 *
 * @throws RangeError when a price is not above 0 or years is negative.
 * @example
 * import { basis } from "@tapeline/quant"
 * basis(102, 100, 0.25) // => { basis: 0.02, annualised: 0.08 }
 */
export function basis(
  future: number,
  spot: number,
  years?: number
): { readonly basis: number; readonly annualised: number | null } {
  checkPositive("basis", "future", future)
  checkPositive("basis", "spot", spot)
  if (years !== undefined) checkNotNegative("basis", "years", years)
  const value = future / spot - 1
  return { basis: value, annualised: years === undefined || years === 0 ? null : value / years }
}

/** The result of {@link kimchiPremium}, in fractions (0.01 = 1 %). */
export interface KimchiPremium {
  readonly total: number
  /** The premium of a coin's won price over its USDT price, converted at the won price of USDT. */
  readonly assetLeg: number
  /** The premium of the won price of USDT over the bank rate of the US dollar. */
  readonly currencyLeg: number
  /** The part of the total premium that comes from the asset leg. */
  readonly assetShare: number
  readonly currencyShare: number
}

/**
 * Kimchi premium split into an asset leg and a currency leg.
 *
 * Formula: `1 + total = (krwPrice / (usdtPrice usdtKrw)) (usdtKrw / usdKrw) = (1 + asset)(1 + currency)`;
 * `assetShare = total ln(1 + asset) / ln(1 + total)`. Unit: 0.01 = 1 %.
 * Source: algebraic identity.
 *
 * @throws RangeError when a price is not finite and above 0.
 * @example
 * import { kimchiPremium } from "@tapeline/quant"
 * const premium = kimchiPremium({ krwPrice: 145000000, usdtPrice: 100000, usdtKrw: 1430, usdKrw: 1400 })
 * premium.total // => 0.0357142857
 * premium.currencyLeg // => 0.0214285714
 * premium.assetLeg // => 0.0139860140
 */
export function kimchiPremium(input: {
  readonly krwPrice: number
  readonly usdtPrice: number
  readonly usdtKrw: number
  readonly usdKrw: number
}): KimchiPremium {
  const { krwPrice, usdtPrice, usdtKrw, usdKrw } = input
  checkPositive("kimchiPremium", "krwPrice", krwPrice)
  checkPositive("kimchiPremium", "usdtPrice", usdtPrice)
  checkPositive("kimchiPremium", "usdtKrw", usdtKrw)
  checkPositive("kimchiPremium", "usdKrw", usdKrw)
  const asset = krwPrice / (usdtPrice * usdtKrw)
  const currency = usdtKrw / usdKrw
  const total = krwPrice / (usdtPrice * usdKrw) - 1
  const log = Math.log1p(total)
  const scale = log === 0 ? 1 : total / log
  const assetShare = scale * Math.log(asset)
  return {
    total,
    assetLeg: asset - 1,
    currencyLeg: currency - 1,
    assetShare,
    currencyShare: total - assetShare
  }
}
