import { checkFinite, checkNotNegative, checkPositive } from "../check.ts"
import { normalCdf, normalInverse, normalPdf } from "../normal.ts"

export type OptionType = "call" | "put"

/** The value and the sensitivities of one option. */
export interface Greeks {
  /** The price of the option, in the currency of the spot (or forward) and of the strike. */
  readonly price: number
  /** The change of the option price per 1.00 of the underlying. */
  readonly delta: number
  /** The change of delta per 1.00 of the underlying. */
  readonly gamma: number
  /** The change of the option price per 1.00 (100 points) of volatility. */
  readonly vega: number
  /** The change of the option price per year of passing time; divide by 365 for a day. */
  readonly theta: number
  /** The change of the option price per 1.00 (100 points) of the interest rate. */
  readonly rho: number
}

/** The arguments of {@link blackScholes}. */
export interface BlackScholesInput {
  readonly spot: number
  readonly strike: number
  /** The time to expiry in years (act/365). */
  readonly years: number
  /** The continuously compounded interest rate; 0.05 = 5 %. */
  readonly rate?: number | undefined
  /** The continuous dividend or carry yield; 0.05 = 5 %. */
  readonly dividend?: number | undefined
  /** The annual volatility; 0.2 = 20 %. */
  readonly sigma: number
  readonly type: OptionType
}

/** The arguments of {@link black76}. */
export interface Black76Input {
  readonly forward: number
  readonly strike: number
  readonly years: number
  readonly rate?: number | undefined
  readonly sigma: number
  readonly type: OptionType
}

export function getOptionSign(where: string, type: OptionType): 1 | -1 {
  if (type === "call") return 1
  if (type === "put") return -1
  throw new RangeError(`${where}: type must be "call" or "put", got ${String(type)}`)
}

/**
 * Price and greeks of a European option, by the formula of Black, Scholes and Merton.
 *
 * Formula: `d1 = (ln(S / K) + (r - q + sigma^2 / 2) T) / (sigma sqrt(T))`, `d2 = d1 - sigma sqrt(T)`,
 * `call = S e^(-qT) N(d1) - K e^(-rT) N(d2)`, and the put with the signs reversed. Units: vega per 1.00 of sigma, theta
 * per year, rho per 1.00 of the rate. `rate` and `dividend` default to 0. At expiry, the price is the intrinsic value,
 * and theta, gamma, vega and rho are 0. With sigma 0, the price is the discounted intrinsic value of the forward, and
 * gamma and vega are 0. At expiry or with sigma 0, an option exactly at the money has half the maximum delta.
 * Source: Hull, Options, Futures and Other Derivatives; Haug, The Complete Guide to Option Pricing Formulas.
 *
 * @throws RangeError when spot or strike is not above 0, years or sigma is negative, or anything is not finite.
 * @example
 * import { blackScholes } from "@tapeline/quant"
 * const call = blackScholes({ spot: 42, strike: 40, years: 0.5, rate: 0.1, dividend: 0, sigma: 0.2, type: "call" })
 * call.price // => 4.759422
 * call.delta // => 0.779131
 * blackScholes({ spot: 42, strike: 40, years: 0, sigma: 0.2, type: "call" }).price // => 2
 */
export function blackScholes(input: BlackScholesInput): Greeks {
  const { spot, strike, years, rate = 0, dividend = 0, sigma, type } = input
  checkPositive("blackScholes", "spot", spot)
  checkPositive("blackScholes", "strike", strike)
  checkNotNegative("blackScholes", "years", years)
  checkFinite("blackScholes", "rate", rate)
  checkFinite("blackScholes", "dividend", dividend)
  checkNotNegative("blackScholes", "sigma", sigma)
  const sign = getOptionSign("blackScholes", type)
  const carry = dividend === 0 ? 1 : Math.exp(-dividend * years)
  const discount = rate === 0 ? 1 : Math.exp(-rate * years)
  const root = Math.sqrt(years)
  const v = sigma * root
  const logMoneyness = Math.log(spot / strike) + (rate - dividend) * years
  const { near, far, density } = getDistribution(sign, logMoneyness, v)
  const asset = spot * carry * near
  const cash = strike * discount * far
  const decay = years > 0
    ? sign * (dividend * asset - rate * cash) - (density > 0 ? (spot * carry * density * sigma) / (2 * root) : 0)
    : 0
  // Adding 0 changes the -0 of a put with a zero delta or rho to 0.
  return checkGreeks("blackScholes", {
    // For an option far out of the money, rounding can make the price slightly negative.
    price: Math.max(0, sign * (asset - cash)),
    delta: sign * carry * near + 0,
    gamma: density > 0 ? (carry * density) / (spot * v) : 0,
    vega: spot * carry * density * root,
    theta: decay + 0,
    rho: sign * years * cash + 0
  })
}

/**
 * Price and greeks of a European option on a future, by Black's formula.
 *
 * Formula: `d1 = ln(F / K) / (sigma sqrt(T)) + sigma sqrt(T) / 2`, `call = e^(-rT) (F N(d1) - K N(d2))`. Units: the
 * units of {@link blackScholes}. Delta and gamma refer to the future, and rho is `-T price`. `rate` defaults to 0, as
 * on crypto exchanges. Results at expiry and with sigma 0 are defined as in {@link blackScholes}.
 * Source: Black, The Pricing of Commodity Contracts (1976); Hull, "Futures options".
 *
 * @throws RangeError when forward or strike is not above 0, years or sigma is negative, or anything is not finite.
 * @example
 * import { black76 } from "@tapeline/quant"
 * black76({ forward: 20, strike: 20, years: 4 / 12, rate: 0.09, sigma: 0.25, type: "put" }).price // => 1.11664
 */
export function black76(input: Black76Input): Greeks {
  const { forward, strike, years, rate = 0, sigma, type } = input
  checkPositive("black76", "forward", forward)
  checkPositive("black76", "strike", strike)
  checkNotNegative("black76", "years", years)
  checkFinite("black76", "rate", rate)
  checkNotNegative("black76", "sigma", sigma)
  const sign = getOptionSign("black76", type)
  const discount = rate === 0 ? 1 : Math.exp(-rate * years)
  const root = Math.sqrt(years)
  const v = sigma * root
  const { near, far, density } = getDistribution(sign, Math.log(forward / strike), v)
  const price = Math.max(0, sign * discount * (forward * near - strike * far))
  const decay = years > 0 ? rate * price - (density > 0 ? (discount * forward * density * sigma) / (2 * root) : 0) : 0
  return checkGreeks("black76", {
    price,
    delta: sign * discount * near + 0,
    gamma: density > 0 ? (discount * density) / (forward * v) : 0,
    vega: discount * forward * density * root,
    theta: decay + 0,
    rho: years > 0 ? -years * price : 0
  })
}

/** Returns N(+-d1), N(+-d2) and n(d1), or, if v is 0, the limits of N(+-d1) and N(+-d2) with n(d1) = 0. */
function getDistribution(
  sign: 1 | -1,
  logMoneyness: number,
  v: number
): { near: number; far: number; density: number } {
  if (v === 0) {
    const inside = logMoneyness === 0 ? 0.5 : sign * logMoneyness > 0 ? 1 : 0
    return { near: inside, far: inside, density: 0 }
  }
  const d1 = logMoneyness / v + 0.5 * v
  return { near: normalCdf(sign * d1), far: normalCdf(sign * (d1 - v)), density: normalPdf(d1) }
}

function checkGreeks(where: string, greeks: Greeks): Greeks {
  if (!Number.isFinite(greeks.price + greeks.theta + greeks.gamma)) {
    throw new RangeError(
      `${where}: rate, dividend or sigma times years is too large; check their units (0.05 = 5 %)`
    )
  }
  return greeks
}

/**
 * Strike at which an option has a given delta.
 *
 * Formula: `K = F exp(v^2 / 2 - sign v Ninv(|delta|))`, v = sigma sqrt(T), for the undiscounted Black-76 delta. Unit:
 * the unit of the forward. The delta of a put may be given as 0.25 or -0.25. If v is 0, the strike of every delta is
 * the forward.
 * Source: Clark, Foreign Exchange Option Pricing (2011), ch. 3.
 *
 * @throws RangeError when the size of delta is not inside (0, 1), a call's delta is negative, forward is not above 0,
 * or years or sigma is negative.
 * @example
 * import { black76, strikeFromDelta } from "@tapeline/quant"
 * const strike = strikeFromDelta({ forward: 100, years: 0.25, sigma: 0.6, delta: -0.25, type: "put" })
 * strike // => 85.4408
 * black76({ forward: 100, strike, years: 0.25, sigma: 0.6, type: "put" }).delta // => -0.25
 */
export function strikeFromDelta(input: {
  readonly forward: number
  readonly years: number
  readonly sigma: number
  readonly delta: number
  readonly type: OptionType
}): number {
  const { forward, years, sigma, delta, type } = input
  checkPositive("strikeFromDelta", "forward", forward)
  checkNotNegative("strikeFromDelta", "years", years)
  checkNotNegative("strikeFromDelta", "sigma", sigma)
  const sign = getOptionSign("strikeFromDelta", type)
  const size = Math.abs(delta)
  if (!(size > 0 && size < 1) || (sign === 1 && delta < 0)) {
    throw new RangeError(
      `strikeFromDelta: delta of a ${type} must lie inside ${
        sign === 1 ? "0 to 1" : "-1 to 0 (or 0 to 1)"
      }, got ${delta}`
    )
  }
  const v = sigma * Math.sqrt(years)
  return forward * Math.exp(0.5 * v * v - sign * v * normalInverse(size))
}

/** The result of {@link black76Cross}: changes of delta while the price of the future is constant. */
export interface CrossGreeks {
  /** The change of delta per 1.00 (100 points) of volatility. */
  readonly vanna: number
  /** The change of delta per year of passing time; divide by 365 for a day. */
  readonly charm: number
}

/**
 * Vanna and charm of a European option on a future, at rate 0. The deltas of a call and a put differ by a constant, so
 * vanna and charm are equal for calls and puts.
 *
 * Formula: `vanna = -n(d1) d2 / sigma`, `charm = n(d1) d2 / (2 T)`, with d1 and d2 of {@link black76}. Units: vanna per
 * 1.00 of sigma, charm per year of passing time. At expiry and with sigma 0, delta is a step function, and vanna and
 * charm are 0.
 * Source: Haug, The Complete Guide to Option Pricing Formulas (2007), 2.2 (DdeltaDvol and DdeltaDtime).
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
  checkPositive("black76Cross", "forward", forward)
  checkPositive("black76Cross", "strike", strike)
  checkNotNegative("black76Cross", "years", years)
  checkNotNegative("black76Cross", "sigma", sigma)
  const v = sigma * Math.sqrt(years)
  checkFinite("black76Cross", "sigma", v)
  if (v === 0) return { vanna: 0, charm: 0 }
  const d1 = Math.log(forward / strike) / v + 0.5 * v
  const density = normalPdf(d1)
  // Far from the money, the density underflows to 0, and the density's factor is too small to matter.
  if (density === 0) return { vanna: 0, charm: 0 }
  const weighted = density * (d1 - v)
  return { vanna: 0 - weighted / sigma, charm: weighted / (2 * years) + 0 }
}
