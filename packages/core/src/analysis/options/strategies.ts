/**
 * The option structures that suit each market view. Each strike is at the forward or at a delta of the expiry's smile.
 */
import type { OptionType } from "../../market/option.ts"

export const marketViews = ["bullish", "bearish", "neutral", "volatile"] as const
export type MarketView = (typeof marketViews)[number]

/** The target of a strike: the forward, or the absolute delta that the option must have. */
export type Anchor = "forward" | 0.25 | 0.1

export interface PlannedLeg {
  readonly type: OptionType
  readonly side: "buy" | "sell"
  readonly anchor: Anchor
}

export interface StrategyPlan {
  readonly family: string
  readonly legs: ReadonlyArray<PlannedLeg>
  readonly volatility: "buys" | "sells" | "neither"
  readonly why: string
  readonly risk: string
}

const planLeg = (side: PlannedLeg["side"], type: OptionType, anchor: Anchor): PlannedLeg => ({ type, side, anchor })

const bullish: ReadonlyArray<StrategyPlan> = [
  {
    family: "bull_call_spread",
    legs: [planLeg("buy", "call", "forward"), planLeg("sell", "call", 0.25)],
    volatility: "buys",
    why: "Gains if the price rises, up to the sold 25-delta call, which pays for a part of the bought call.",
    risk: "The whole debit is lost below the lower strike, and profit is capped above the upper strike."
  },
  {
    family: "bull_put_spread",
    legs: [planLeg("sell", "put", 0.25), planLeg("buy", "put", 0.1)],
    volatility: "sells",
    why: "Keeps the credit unless the price falls below the sold 25-delta put; the price need not rise.",
    risk: "A fall below the lower strike costs several times the credit."
  },
  {
    family: "bullish_risk_reversal",
    legs: [planLeg("buy", "call", 0.25), planLeg("sell", "put", 0.25)],
    volatility: "neither",
    why:
      "Gains if the price rises, at almost no cost: the sold put pays for the call, especially when puts are expensive.",
    risk: "Below the put's strike it loses as much as the coin, down to 0; the sold put needs margin."
  }
]

const bearish: ReadonlyArray<StrategyPlan> = [
  {
    family: "bear_put_spread",
    legs: [planLeg("buy", "put", "forward"), planLeg("sell", "put", 0.25)],
    volatility: "buys",
    why: "Gains if the price falls, down to the sold 25-delta put, which pays for a part of the bought put.",
    risk: "The whole debit is lost above the upper strike, and profit is capped below the lower strike."
  },
  {
    family: "bear_call_spread",
    legs: [planLeg("sell", "call", 0.25), planLeg("buy", "call", 0.1)],
    volatility: "sells",
    why: "Keeps the credit unless the price rises above the sold 25-delta call; the price need not fall.",
    risk: "A rise above the upper strike costs several times the credit."
  },
  {
    family: "bearish_risk_reversal",
    legs: [planLeg("buy", "put", 0.25), planLeg("sell", "call", 0.25)],
    volatility: "neither",
    why:
      "Gains if the price falls, at almost no cost: the sold call pays for the put, especially when calls are expensive.",
    risk: "Above the call's strike the loss is unlimited; it needs the coin as cover, or margin."
  }
]

const neutral: ReadonlyArray<StrategyPlan> = [
  {
    family: "iron_condor",
    legs: [
      planLeg("sell", "put", 0.25),
      planLeg("buy", "put", 0.1),
      planLeg("sell", "call", 0.25),
      planLeg("buy", "call", 0.1)
    ],
    volatility: "sells",
    why: "Keeps the credit while the price stays between the sold 25-delta strikes; the 10-delta wings limit the loss.",
    risk: "A move beyond either wing costs several times the credit."
  },
  {
    family: "iron_butterfly",
    legs: [
      planLeg("sell", "call", "forward"),
      planLeg("sell", "put", "forward"),
      planLeg("buy", "call", 0.1),
      planLeg("buy", "put", 0.1)
    ],
    volatility: "sells",
    why: "The largest credit; more of it is kept the closer the price ends to the forward.",
    risk: "It rarely keeps the whole credit, and loses beyond either break-even, up to the wings."
  },
  {
    family: "short_strangle",
    legs: [planLeg("sell", "put", 0.1), planLeg("sell", "call", 0.1)],
    volatility: "sells",
    why: "Sells both 10-delta tails: usually wins, but only a small credit.",
    risk: "The loss is unlimited above, and extends to a price of 0 below: one jump can cost many months of credits."
  }
]

const volatile: ReadonlyArray<StrategyPlan> = [
  {
    family: "long_straddle",
    legs: [planLeg("buy", "call", "forward"), planLeg("buy", "put", "forward")],
    volatility: "buys",
    why: "Gains from a move in either direction that exceeds the cost of both options.",
    risk: "Every quiet day costs theta, and the whole debit is lost at the strike."
  },
  {
    family: "long_strangle",
    legs: [planLeg("buy", "put", 0.25), planLeg("buy", "call", 0.25)],
    volatility: "buys",
    why: "Cheaper than the straddle, but needs a larger move.",
    risk: "Between the strikes the whole debit is lost."
  },
  {
    family: "reverse_iron_condor",
    legs: [
      planLeg("buy", "put", 0.25),
      planLeg("sell", "put", 0.1),
      planLeg("buy", "call", 0.25),
      planLeg("sell", "call", 0.1)
    ],
    volatility: "buys",
    why: "A strangle with sold 10-delta tails: cheaper when the wings are expensive, and gains up to the wings.",
    risk: "Between the inner strikes the whole debit is lost, and beyond the wings profit is capped."
  }
]

const plansByView: Readonly<Record<MarketView, ReadonlyArray<StrategyPlan>>> = { bullish, bearish, neutral, volatile }

/**
 * Returns a sort key for an option plan. Plans that sell volatility come first if options are expensive, and last if
 * options are cheap.
 */
const rankPlan = ({ volatility }: StrategyPlan, isExpensive: boolean): number =>
  volatility === "neither" ? 1 : (volatility === "sells") === isExpensive ? 0 : 2

/** Returns the option plans for a market view. If `isExpensive` is known, the most suitable plans come first. */
export const getPlans = (view: MarketView, isExpensive: boolean | null): ReadonlyArray<StrategyPlan> =>
  isExpensive === null
    ? plansByView[view]
    : plansByView[view].toSorted((a, b) => rankPlan(a, isExpensive) - rankPlan(b, isExpensive))

export interface MarketState {
  /** The price move of the last 14 days, in standard deviations of 14-day moves; null if unknown. */
  readonly moveSd: number | null
  /** The 30-day implied volatility minus the realised volatility, in points; null if unknown. */
  readonly ivMinusRv: number | null
}

export const minTrendSd = 0.75

/**
 * Derives a market view from the recent trend and the volatilities. A move of at least 0.75 standard deviations in 14
 * days is a trend and decides the direction. Without a trend, the view is `volatile` if implied volatility is below
 * realised volatility, and `neutral` if not.
 */
export const chooseView = ({ ivMinusRv, moveSd }: MarketState): MarketView => {
  if (moveSd !== null && Math.abs(moveSd) >= minTrendSd) return moveSd > 0 ? "bullish" : "bearish"
  return ivMinusRv !== null && ivMinusRv < 0 ? "volatile" : "neutral"
}
