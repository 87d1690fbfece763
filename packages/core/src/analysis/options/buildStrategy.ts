/** Builds a plan from listed strikes that have quotes. */
import type { OptionExpiry, OptionType } from "../../market/option.ts"
import { type FittedSmile, optionAtDelta } from "./fittedSmile.ts"
import type { Anchor, LegPlan, Plan } from "./strategies.ts"
import type { LegRequest } from "./structure.ts"

export interface BuiltLeg extends LegRequest {
  /** The name of the strike's anchor, and its price. */
  readonly anchor: string
  readonly anchorPrice: number
}

export const anchorName = (anchor: Anchor, type: OptionType): string =>
  anchor === "forward" ? "forward" : `${100 * anchor}-delta ${type}`

const anchorPrice = (smile: FittedSmile, anchor: Anchor, type: OptionType): number | null =>
  anchor === "forward" ? smile.quotes.forward : optionAtDelta(smile, anchor, type)?.strike ?? null

/**
 * Returns the strikes that have a bid and an ask. At the forward, both the call and the put must have them, so that a
 * straddle has one strike.
 */
const quotedStrikes = ({ quotes }: OptionExpiry, type: OptionType, anchor: Anchor): ReadonlyArray<number> => {
  const of = (wanted: OptionType) =>
    quotes.filter((quote) => quote.type === wanted && quote.bid !== null && quote.ask !== null)
      .map(({ strike }) => strike)
  if (anchor !== "forward") return of(type)
  const puts = new Set(of("put"))
  return of("call").filter((strike) => puts.has(strike))
}

const nearest = (strikes: ReadonlyArray<number>, price: number): number | undefined =>
  strikes.reduce<number | undefined>(
    (best, strike) => best === undefined || Math.abs(strike - price) < Math.abs(best - price) ? strike : best,
    undefined
  )

const buildLeg = (expiry: OptionExpiry, smile: FittedSmile, { anchor, side, type }: LegPlan): BuiltLeg | null => {
  const price = anchorPrice(smile, anchor, type)
  const strike = price === null ? undefined : nearest(quotedStrikes(expiry, type, anchor), price)
  return price === null || strike === undefined
    ? null
    : { type, side, qty: 1, strike, anchor: anchorName(anchor, type), anchorPrice: price }
}

/** Returns the legs of a plan. Null if an anchor has no quotes, or if two legs of one type have the same strike. */
export const buildLegs = (expiry: OptionExpiry, smile: FittedSmile, { legs }: Plan): ReadonlyArray<BuiltLeg> | null => {
  const built = legs.flatMap((leg) => buildLeg(expiry, smile, leg) ?? [])
  const places = new Set(built.map(({ strike, type }) => `${type} ${strike}`))
  return built.length < legs.length || places.size < legs.length ? null : built
}
