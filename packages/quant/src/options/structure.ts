import { checkFinite, checkNotNegative, checkPositive } from "../check.ts"
import { probabilityAbove } from "../probability.ts"
import { black76, getOptionSign, type Greeks, type OptionType } from "./black.ts"

/**
 * A leg of an option structure. `quantity` is another name for `qty`. The type `underlying` is a position in the asset
 * itself. A positive `qty` is a long leg, and a negative `qty` is a short leg. If `side` is set, `qty` must be
 * positive.
 */
export interface StructureLeg {
  readonly type: OptionType | "underlying"
  /** The strike price of an option leg; not used if the type is `underlying`. */
  readonly strike?: number | undefined
  readonly side?: "long" | "short" | "buy" | "sell" | undefined
  readonly qty?: number | undefined
  readonly quantity?: number | undefined
  /** The price paid or received per unit, never negative; 0 by default. */
  readonly premium?: number | undefined
  /** The units of the underlying per contract. The default is the multiplier of the whole structure. */
  readonly multiplier?: number | undefined
}

/** The result of {@link structurePayoff}, in the currency of the premium. */
export interface StructurePayoff {
  /**
   * The spots above 0 at which the profit at expiry is 0, in ascending order. If the profit is 0 over a range of spots,
   * only the ends of the range are listed.
   */
  readonly breakEvens: ReadonlyArray<number>
  /** The maximum profit, or null if the profit is unbounded. */
  readonly maxProfit: number | null
  /** The lowest profit at expiry, usually negative. Null means an unbounded loss. */
  readonly maxLoss: number | null
  /** The total premium paid, which is negative if premium is received (a credit). */
  readonly cost: number
  /** Sentences that report an unbounded profit or an unbounded loss. */
  readonly notes: ReadonlyArray<string>
  /** Returns the profit or loss at expiry for a spot. */
  readonly payoff: (spot: number) => number
}

interface Position {
  readonly type: StructureLeg["type"]
  readonly strike: number
  readonly units: number
  readonly premium: number
}

function toPosition(where: string, leg: StructureLeg, multiplier: number): Position {
  if (leg.qty !== undefined && leg.quantity !== undefined) {
    throw new RangeError(`${where}: pass a leg's qty or its quantity, not both`)
  }
  const qty = leg.qty ?? leg.quantity ?? 1
  checkFinite(where, "qty", qty)
  let direction = 1
  if (leg.side !== undefined) {
    if (qty < 0) throw new RangeError(`${where}: a leg with a side needs a qty above 0, got ${qty}`)
    if (leg.side === "short" || leg.side === "sell") direction = -1
    else if (leg.side !== "long" && leg.side !== "buy") {
      throw new RangeError(`${where}: side must be long, short, buy or sell, got ${String(leg.side)}`)
    }
  }
  const size = leg.multiplier ?? multiplier
  checkPositive(where, "multiplier", size)
  const premium = leg.premium ?? 0
  checkNotNegative(where, "premium", premium)
  if (leg.type !== "underlying") {
    getOptionSign(where, leg.type)
    checkPositive(where, "strike", leg.strike ?? NaN)
  }
  return { type: leg.type, strike: leg.strike ?? 0, units: direction * qty * size, premium }
}

function getProfitAt(positions: ReadonlyArray<Position>, spot: number): number {
  let value = 0
  for (const { type, strike, units, premium } of positions) {
    const intrinsic = type === "underlying"
      ? spot
      : type === "call"
      ? Math.max(0, spot - strike)
      : Math.max(0, strike - spot)
    value += units * (intrinsic - premium)
  }
  return value
}

/**
 * Profit and loss of an option structure at expiry: break-evens, best and worst case.
 *
 * Formula: `sum(units * (intrinsic(spot) - premium))`, with `units = direction * qty * multiplier`. The payoff is
 * piecewise linear with kinks at the strikes, so its roots and bounds are exact. The spot can have any value from 0 to
 * infinity. Unit: currency of the premium.
 * Source: McMillan, Options as a Strategic Investment, ch. 7.
 *
 * @throws RangeError for no legs, a strike or multiplier that is not above 0, a negative premium, an unknown type or
 * side, or a signed qty together with a side.
 * @example
 * import { structurePayoff } from "@tapeline/quant"
 * const spread = structurePayoff([
 *   { type: "call", strike: 30, qty: 1, premium: 3 }, { type: "call", strike: 35, qty: -1, premium: 1 }
 * ], { multiplier: 100 })
 * spread.breakEvens // => [32]
 * spread.maxProfit // => 300
 * spread.maxLoss // => -200
 * spread.payoff(40) // => 300
 * structurePayoff([{ type: "call", strike: 30, side: "sell", premium: 3 }]).maxLoss // => null
 */
export function structurePayoff(
  legs: ReadonlyArray<StructureLeg>,
  options: { readonly multiplier?: number | undefined } = {}
): StructurePayoff {
  if (legs.length === 0) throw new RangeError("structurePayoff: at least one leg is needed")
  const positions = legs.map((leg) => toPosition("structurePayoff", leg, options.multiplier ?? 1))
  const payoff = (spot: number): number => {
    checkNotNegative("structurePayoff", "spot", spot)
    return getProfitAt(positions, spot)
  }
  const kinks = [0, ...new Set(positions.filter((p) => p.type !== "underlying").map((p) => p.strike))].sort((a, b) =>
    a - b
  )
  const scale = positions.reduce((sum, p) => sum + Math.abs(p.units) * (p.strike + p.premium), 0)
  const roundToZero = (value: number): number => (Math.abs(value) <= 1e-12 * scale ? 0 : value)
  const values = kinks.map((kink) => roundToZero(getProfitAt(positions, kink)))
  const totalUnits = positions.reduce((sum, p) => sum + Math.abs(p.units), 0)
  const netUnits = positions.reduce((sum, p) => (p.type === "put" ? sum : sum + p.units), 0)
  const slope = Math.abs(netUnits) <= 1e-12 * totalUnits ? 0 : netUnits

  const breakEvens: Array<number> = []
  for (let j = 0; j < kinks.length; j++) {
    const kink = kinks[j]!
    const value = values[j]!
    const next = values[j + 1]
    if (value === 0) {
      // Inside a range of zeros, only the ends are break-evens.
      const flatBefore = j > 0 && values[j - 1] === 0
      const flatAfter = next === undefined ? slope === 0 : next === 0
      if (kink > 0 && !(flatBefore && flatAfter)) breakEvens.push(kink)
    } else if (next === undefined) {
      if (value * slope < 0) breakEvens.push(kink - value / slope)
    } else if (value * next < 0) breakEvens.push(kink + ((kinks[j + 1]! - kink) * value) / (value - next))
  }
  const notes: Array<string> = []
  if (slope > 0) notes.push("profit is unlimited as the spot rises")
  if (slope < 0) notes.push("loss is unlimited as the spot rises")
  return {
    breakEvens,
    maxProfit: slope > 0 ? null : Math.max(...values),
    maxLoss: slope < 0 ? null : Math.min(...values),
    cost: positions.reduce((sum, p) => sum + p.units * p.premium, 0),
    notes,
    payoff
  }
}

/**
 * Probability that a structure ends with a profit, under a drift-free log-normal price.
 *
 * Formula: the sum of `P(above the low end) - P(above the high end)` over all ranges between break-evens in which
 * {@link structurePayoff} is above 0. Probabilities are computed by {@link probabilityAbove}. The spot can have any
 * value from 0 to infinity. `sigmaT` is sigma sqrt(T) until the expiry. Unit: a number from 0 to 1.
 * Source: linearity; the distribution of {@link probabilityAbove}.
 *
 * @throws RangeError as {@link probabilityAbove}.
 * @example
 * import { probabilityOfProfit, structurePayoff } from "@tapeline/quant"
 * const put = structurePayoff([{ type: "put", strike: 100, premium: 5 }])
 * probabilityOfProfit(put, 100, 0.05) // => 0.152477
 */
export function probabilityOfProfit(
  { breakEvens, payoff }: Pick<StructurePayoff, "breakEvens" | "payoff">,
  spot: number,
  sigmaT: number
): number {
  const bounds = [0, ...breakEvens, Infinity]
  const profits = bounds.slice(1).map((high, j) => {
    const low = bounds[j]!
    // The sign is constant between two roots and beyond the last root.
    return payoff(high === Infinity ? 2 * Math.max(low, spot) : 0.5 * (low + high))
  })
  const noise = 1e-12 * profits.reduce((most, profit) => Math.max(most, Math.abs(profit)), 0)
  const getProbabilityAbove = (level: number): number =>
    level === 0 ? 1 : level === Infinity ? 0 : probabilityAbove(spot, level, sigmaT)
  let sum = 0
  for (const [j, profit] of profits.entries()) {
    if (profit > noise) sum += getProbabilityAbove(bounds[j]!) - getProbabilityAbove(bounds[j + 1]!)
  }
  return Math.min(1, Math.max(0, sum))
}

/** An option leg with the inputs for its greeks. */
export interface PricedLeg extends StructureLeg {
  readonly type: OptionType
  readonly strike: number
  readonly years: number
  readonly sigma: number
}

/**
 * Value and greeks of an option structure on a future.
 *
 * Formula: `sum(direction * qty * multiplier * greek)`, with each greek of {@link black76}. Units: the units of
 * {@link black76}, times contracts.
 * Source: linearity.
 *
 * @throws RangeError as {@link structurePayoff} and {@link black76}.
 * @example
 * import { structureGreeks } from "@tapeline/quant"
 * const leg = { strike: 100, years: 0.25, sigma: 0.6 }
 * const straddle = structureGreeks([{ type: "call", ...leg }, { type: "put", ...leg }], { forward: 100 })
 * straddle.delta // => 0.1192
 * straddle.price // => 23.8471
 */
export function structureGreeks(
  legs: ReadonlyArray<PricedLeg>,
  market: { readonly forward: number; readonly rate?: number | undefined; readonly multiplier?: number | undefined }
): Greeks {
  if (legs.length === 0) throw new RangeError("structureGreeks: at least one leg is needed")
  const total = { price: 0, delta: 0, gamma: 0, vega: 0, theta: 0, rho: 0 }
  for (const leg of legs) {
    const { units } = toPosition("structureGreeks", leg, market.multiplier ?? 1)
    const greeks = black76({
      forward: market.forward,
      strike: leg.strike,
      years: leg.years,
      rate: market.rate,
      sigma: leg.sigma,
      type: leg.type
    })
    total.price += units * greeks.price
    total.delta += units * greeks.delta
    total.gamma += units * greeks.gamma
    total.vega += units * greeks.vega
    total.theta += units * greeks.theta
    total.rho += units * greeks.rho
  }
  return total
}
