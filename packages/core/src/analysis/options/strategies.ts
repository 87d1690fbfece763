/** Option structures for a market view. Their strikes are anchored to deltas of the expiry's smile. */
import type { OptionType } from "../../market/option.ts"

export const views = ["bullish", "bearish", "neutral", "volatile"] as const
export type View = (typeof views)[number]

/** The target of a strike: the forward, or the option with a delta of this size. */
export type Anchor = "forward" | 0.25 | 0.1

export interface LegPlan {
  readonly type: OptionType
  readonly side: "buy" | "sell"
  readonly anchor: Anchor
}

export interface Plan {
  readonly family: string
  readonly legs: ReadonlyArray<LegPlan>
  /** Whether the plan mainly buys or sells volatility. */
  readonly volatility: "buys" | "sells" | "neither"
  readonly why: string
  readonly risk: string
}

const leg = (side: LegPlan["side"], type: OptionType, anchor: Anchor): LegPlan => ({ type, side, anchor })

const bullish: ReadonlyArray<Plan> = [
  {
    family: "bull_call_spread",
    legs: [leg("buy", "call", "forward"), leg("sell", "call", 0.25)],
    volatility: "buys",
    why: "Gains with a rise, up to the sold 25-delta strike, which pays for part of the call at the money.",
    risk: "The whole debit is lost below the lower strike; nothing more is won above the upper one."
  },
  {
    family: "bull_put_spread",
    legs: [leg("sell", "put", 0.25), leg("buy", "put", 0.1)],
    volatility: "sells",
    why: "Keeps the credit unless the price falls through the sold 25-delta put: it need not rise.",
    risk: "A fall below the lower strike costs several times the credit."
  },
  {
    family: "bullish_risk_reversal",
    legs: [leg("buy", "call", 0.25), leg("sell", "put", 0.25)],
    volatility: "neither",
    why: "A rise almost for free: the sold put pays for the call, the better the dearer puts are against calls.",
    risk: "Below the put's strike it loses like the coin itself, down to 0; the sold put needs margin."
  }
]

const bearish: ReadonlyArray<Plan> = [
  {
    family: "bear_put_spread",
    legs: [leg("buy", "put", "forward"), leg("sell", "put", 0.25)],
    volatility: "buys",
    why: "Gains with a fall, down to the sold 25-delta strike, which pays for part of the put at the money.",
    risk: "The whole debit is lost above the upper strike; nothing more is won below the lower one."
  },
  {
    family: "bear_call_spread",
    legs: [leg("sell", "call", 0.25), leg("buy", "call", 0.1)],
    volatility: "sells",
    why: "Keeps the credit unless the price rises through the sold 25-delta call: it need not fall.",
    risk: "A rise above the upper strike costs several times the credit."
  },
  {
    family: "bearish_risk_reversal",
    legs: [leg("buy", "put", 0.25), leg("sell", "call", 0.25)],
    volatility: "neither",
    why: "A fall almost for free: the sold call pays for the put, the better the dearer calls are against puts.",
    risk: "Above the call's strike the loss has no bound; hold the coin against it, or margin."
  }
]

const neutral: ReadonlyArray<Plan> = [
  {
    family: "iron_condor",
    legs: [
      leg("sell", "put", 0.25),
      leg("buy", "put", 0.1),
      leg("sell", "call", 0.25),
      leg("buy", "call", 0.1)
    ],
    volatility: "sells",
    why: "Keeps the credit while the price stays between the sold 25-delta strikes; the 10-delta wings bound the loss.",
    risk: "A move beyond either wing costs several times the credit."
  },
  {
    family: "iron_butterfly",
    legs: [
      leg("sell", "call", "forward"),
      leg("sell", "put", "forward"),
      leg("buy", "call", 0.1),
      leg("buy", "put", 0.1)
    ],
    volatility: "sells",
    why: "The largest credit, kept the more the nearer the price ends to the forward.",
    risk: "It seldom keeps all of the credit, and loses beyond either break-even up to the wings."
  },
  {
    family: "short_strangle",
    legs: [leg("sell", "put", 0.1), leg("sell", "call", 0.1)],
    volatility: "sells",
    why: "Sells both 10-delta tails: right most of the time, for little.",
    risk: "The loss has no bound above and reaches down to 0 below: one jump takes many months of credits."
  }
]

const volatile: ReadonlyArray<Plan> = [
  {
    family: "long_straddle",
    legs: [leg("buy", "call", "forward"), leg("buy", "put", "forward")],
    volatility: "buys",
    why: "Gains with a move either way that is larger than what both options cost.",
    risk: "Every quiet day costs theta; all of the debit is lost at the strike."
  },
  {
    family: "long_strangle",
    legs: [leg("buy", "put", 0.25), leg("buy", "call", 0.25)],
    volatility: "buys",
    why: "Cheaper than the straddle, for a move that goes further.",
    risk: "Between the strikes all of the debit is lost."
  },
  {
    family: "reverse_iron_condor",
    legs: [
      leg("buy", "put", 0.25),
      leg("sell", "put", 0.1),
      leg("buy", "call", 0.25),
      leg("sell", "call", 0.1)
    ],
    volatility: "buys",
    why: "A strangle whose 10-delta tails are sold: it costs less where the wings are dear, and gains up to them.",
    risk: "Between the inner strikes all of the debit is lost, and beyond the wings nothing more is won."
  }
]

const plans: Readonly<Record<View, ReadonlyArray<Plan>>> = { bullish, bearish, neutral, volatile }

/** Ranks selling plans first if options are expensive, and buying plans first if they are cheap. */
const rank = ({ volatility }: Plan, dear: boolean): number =>
  volatility === "neither" ? 1 : (volatility === "sells") === dear ? 0 : 2

/**
 * Returns the plans of a view. If it is known whether options are expensive relative to their year, the suitable plans
 * come first.
 */
export const plansOf = (view: View, dear: boolean | null): ReadonlyArray<Plan> =>
  dear === null ? plans[view] : plans[view].toSorted((a, b) => rank(a, dear) - rank(b, dear))

/** The state of a market. */
export interface MarketState {
  /** The 14-day move in its own standard deviations. Null if unknown. */
  readonly moveSd: number | null
  /** 30-day implied minus realised volatility, points. */
  readonly ivMinusRv: number | null
}

/** A move of at least this many deviations is a trend. */
export const trendSd = 0.75

/**
 * Returns the view that the market suggests. A 14-day trend of at least 0.75 standard deviations decides the direction.
 * Otherwise volatility is bought if implied is below realised volatility, and sold if not.
 */
export const viewOf = ({ ivMinusRv, moveSd }: MarketState): View => {
  if (moveSd !== null && Math.abs(moveSd) >= trendSd) return moveSd > 0 ? "bullish" : "bearish"
  return ivMinusRv !== null && ivMinusRv < 0 ? "volatile" : "neutral"
}
