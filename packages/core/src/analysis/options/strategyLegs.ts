import type { OptionExpiry, OptionType } from "../../market/option.ts"
import { findOptionAtDelta, type FittedSmile } from "./fittedSmile.ts"
import type { LegRequest } from "./pricedStructure.ts"
import type { Anchor, PlannedLeg, StrategyPlan } from "./strategies.ts"

export interface BuiltLeg extends LegRequest {
  /** The point of the smile that determines the strike, such as `forward` or `25-delta call`. */
  readonly anchor: string
  readonly anchorPrice: number
}

export const getAnchorName = (anchor: Anchor, type: OptionType): string =>
  anchor === "forward" ? "forward" : `${100 * anchor}-delta ${type}`

const getAnchorPrice = (smile: FittedSmile, anchor: Anchor, type: OptionType): number | null =>
  anchor === "forward" ? smile.quotes.forward : findOptionAtDelta(smile, anchor, type)?.strike ?? null

/**
 * Returns the strikes of one option type that have both a bid and an ask. For the anchor `forward`, the call and the
 * put of a strike must both have a bid and an ask.
 */
const getQuotedStrikes = ({ quotes }: OptionExpiry, type: OptionType, anchor: Anchor): ReadonlyArray<number> => {
  const getStrikesOfType = (wantedType: OptionType) =>
    quotes.filter((quote) => quote.type === wantedType && quote.bid !== null && quote.ask !== null)
      .map(({ strike }) => strike)
  if (anchor !== "forward") return getStrikesOfType(type)
  const puts = new Set(getStrikesOfType("put"))
  return getStrikesOfType("call").filter((strike) => puts.has(strike))
}

const findNearestStrike = (strikes: ReadonlyArray<number>, price: number): number | undefined =>
  strikes.reduce<number | undefined>(
    (best, strike) => best === undefined || Math.abs(strike - price) < Math.abs(best - price) ? strike : best,
    undefined
  )

const buildLeg = (expiry: OptionExpiry, smile: FittedSmile, { anchor, side, type }: PlannedLeg): BuiltLeg | null => {
  const price = getAnchorPrice(smile, anchor, type)
  const strike = price === null ? undefined : findNearestStrike(getQuotedStrikes(expiry, type, anchor), price)
  return price === null || strike === undefined
    ? null
    : { type, side, qty: 1, strike, anchor: getAnchorName(anchor, type), anchorPrice: price }
}

/**
 * Returns the legs of a plan. Returns null if an anchor has no quotes, or if two legs of one type have equal strikes.
 */
export const buildLegs = (
  expiry: OptionExpiry,
  smile: FittedSmile,
  { legs }: StrategyPlan
): ReadonlyArray<BuiltLeg> | null => {
  const built = legs.flatMap((leg) => buildLeg(expiry, smile, leg) ?? [])
  const distinctLegs = new Set(built.map(({ strike, type }) => `${type} ${strike}`))
  return built.length < legs.length || distinctLegs.size < legs.length ? null : built
}
