/** Option structures for a market view. The strikes are anchored to deltas of the expiry's smile. */
import type { OptionType } from "../../market/option.ts"

export const marketViews = ["bullish", "bearish", "neutral", "volatile"] as const
export type MarketView = (typeof marketViews)[number]

/** The target of a strike: the forward, or the strike of the option with this absolute delta. */
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
    why: "Gains with a rise, up to the sold 25-delta strike, which pays for part of the call at the money.",
    risk: "The whole debit is lost below the lower strike; nothing more is won above the upper one."
  },
  {
    family: "bull_put_spread",
    legs: [planLeg("sell", "put", 0.25), planLeg("buy", "put", 0.1)],
    volatility: "sells",
    why: "Keeps the credit unless the price falls through the sold 25-delta put: it need not rise.",
    risk: "A fall below the lower strike costs several times the credit."
  },
  {
    family: "bullish_risk_reversal",
    legs: [planLeg("buy", "call", 0.25), planLeg("sell", "put", 0.25)],
    volatility: "neither",
    why: "A rise almost for free: the sold put pays for the call, the better the dearer puts are against calls.",
    risk: "Below the put's strike it loses like the coin itself, down to 0; the sold put needs margin."
  }
]

const bearish: ReadonlyArray<StrategyPlan> = [
  {
    family: "bear_put_spread",
    legs: [planLeg("buy", "put", "forward"), planLeg("sell", "put", 0.25)],
    volatility: "buys",
    why: "Gains with a fall, down to the sold 25-delta strike, which pays for part of the put at the money.",
    risk: "The whole debit is lost above the upper strike; nothing more is won below the lower one."
  },
  {
    family: "bear_call_spread",
    legs: [planLeg("sell", "call", 0.25), planLeg("buy", "call", 0.1)],
    volatility: "sells",
    why: "Keeps the credit unless the price rises through the sold 25-delta call: it need not fall.",
    risk: "A rise above the upper strike costs several times the credit."
  },
  {
    family: "bearish_risk_reversal",
    legs: [planLeg("buy", "put", 0.25), planLeg("sell", "call", 0.25)],
    volatility: "neither",
    why: "A fall almost for free: the sold call pays for the put, the better the dearer calls are against puts.",
    risk: "Above the call's strike the loss has no bound; hold the coin against it, or margin."
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
    why: "Keeps the credit while the price stays between the sold 25-delta strikes; the 10-delta wings bound the loss.",
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
    why: "The largest credit, kept the more the nearer the price ends to the forward.",
    risk: "It seldom keeps all of the credit, and loses beyond either break-even up to the wings."
  },
  {
    family: "short_strangle",
    legs: [planLeg("sell", "put", 0.1), planLeg("sell", "call", 0.1)],
    volatility: "sells",
    why: "Sells both 10-delta tails: right most of the time, for little.",
    risk: "The loss has no bound above and reaches down to 0 below: one jump takes many months of credits."
  }
]

const volatile: ReadonlyArray<StrategyPlan> = [
  {
    family: "long_straddle",
    legs: [planLeg("buy", "call", "forward"), planLeg("buy", "put", "forward")],
    volatility: "buys",
    why: "Gains with a move either way that is larger than what both options cost.",
    risk: "Every quiet day costs theta; all of the debit is lost at the strike."
  },
  {
    family: "long_strangle",
    legs: [planLeg("buy", "put", 0.25), planLeg("buy", "call", 0.25)],
    volatility: "buys",
    why: "Cheaper than the straddle, for a move that goes further.",
    risk: "Between the strikes all of the debit is lost."
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
    why: "A strangle whose 10-delta tails are sold: it costs less where the wings are dear, and gains up to them.",
    risk: "Between the inner strikes all of the debit is lost, and beyond the wings nothing more is won."
  }
]

const plansByView: Readonly<Record<MarketView, ReadonlyArray<StrategyPlan>>> = { bullish, bearish, neutral, volatile }

/**
 * Returns a sort key that ranks plans that sell volatility first if options are expensive, and plans that buy
 * volatility first if options are cheap.
 */
const rankPlan = ({ volatility }: StrategyPlan, isExpensive: boolean): number =>
  volatility === "neither" ? 1 : (volatility === "sells") === isExpensive ? 0 : 2

/**
 * Returns the plans of a market view. If `isExpensive` (options compared with their last year) is known, the suitable
 * plans come first.
 */
export const getPlans = (view: MarketView, isExpensive: boolean | null): ReadonlyArray<StrategyPlan> =>
  isExpensive === null
    ? plansByView[view]
    : plansByView[view].toSorted((a, b) => rankPlan(a, isExpensive) - rankPlan(b, isExpensive))

export interface MarketState {
  /** The 14-day move in its own standard deviations; null if unknown. */
  readonly moveSd: number | null
  /** The 30-day implied volatility minus the realised volatility, in points; null if unknown. */
  readonly ivMinusRv: number | null
}

export const minTrendSd = 0.75

/**
 * Returns the view that the market suggests. A 14-day trend of at least 0.75 standard deviations decides the direction.
 * Without a trend, the view is `volatile` if implied volatility is below realised volatility, and `neutral` if not.
 */
export const chooseView = ({ ivMinusRv, moveSd }: MarketState): MarketView => {
  if (moveSd !== null && Math.abs(moveSd) >= minTrendSd) return moveSd > 0 ? "bullish" : "bearish"
  return ivMinusRv !== null && ivMinusRv < 0 ? "volatile" : "neutral"
}
