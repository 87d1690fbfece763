import { Effect } from "effect"
import { buildLegs, type BuiltLeg } from "../../analysis/options/buildStrategy.ts"
import { expiryDate, readExpiry, yearMs } from "../../analysis/options/expiry.ts"
import { exposureOf, maxPainOf } from "../../analysis/options/exposure.ts"
import { fitSurface, type FittedSmile } from "../../analysis/options/fittedSmile.ts"
import { ivYear, standingOf } from "../../analysis/options/ivHistory.ts"
import { type Realised, realised30d } from "../../analysis/options/realised.ts"
import { type Plan, plansOf, trendSd, type View, viewOf } from "../../analysis/options/strategies.ts"
import { dealStructure } from "../../analysis/options/structure.ts"
import { atMaturity, termOf, type TermPoint } from "../../analysis/options/term.ts"
import { Compute } from "../../engine/compute/Compute.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { decimals, fraction, percent } from "../../engine/tool/rounding.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { ImpliedVolatilities } from "../../market/ImpliedVolatilities.ts"
import type { OptionChain, OptionExpiry } from "../../market/option.ts"
import { OptionsVenue } from "../../market/OptionsVenue.ts"
import { provenanceOf, sourceOf } from "../../market/provenance.ts"
import { hourMs } from "../../market/timeframe.ts"
import { getOptionStrategy } from "./getOptionStrategy.ts"

const moveMs = 14 * 24 * hourMs

/** Returns the rounded move over 14 days of closed hours; null if either end is not recorded. */
const moveOf = ({ hours, pct }: Realised): { readonly pct: number | null; readonly sd: number | null } => {
  const last = hours.at(-1)
  const first = last === undefined ? undefined : hours.find(({ time }) => time === last.time - moveMs)
  if (last === undefined || first === undefined) return { pct: null, sd: null }
  const log = Math.log(last.close / first.close)
  return {
    pct: percent(100 * (last.close / first.close - 1)),
    sd: pct === null || pct === 0 ? null : fraction(log / ((pct / 100) * Math.sqrt(moveMs / yearMs)))
  }
}

/** Returns the data of the coin and the expiry, as results show them. */
const marketOf = (
  chain: OptionChain,
  term: ReadonlyArray<TermPoint>,
  expiry: OptionExpiry,
  realised: Realised,
  ivPercentile: number | null
) => {
  const month = atMaturity(term, 30)
  const move = moveOf(realised)
  const written = (value: number | null): number | null => value === null ? null : percent(value)
  const [iv, rv] = [written(month.atm), written(realised.pct)]
  const own = term[chain.expiries.indexOf(expiry)]!
  const centre = expiry.forward ?? chain.spot
  const sd = own.atm === null ? null : (own.atm / 100) * Math.sqrt((expiry.expiryAt - chain.time) / yearMs)
  const { callWall, putWall } = exposureOf([expiry], chain.spot, chain.time)
  return {
    spot: chain.spot,
    forward: expiry.forward,
    move_14d_pct: move.pct,
    move_14d_sd: move.sd,
    iv_30d_pct: iv,
    realised_30d_pct: rv,
    iv_minus_rv: iv === null || rv === null ? null : percent(iv - rv),
    iv_percentile: ivPercentile,
    skew_25d: month.rr25,
    one_sd_low: sd === null ? null : centre * Math.exp(-sd),
    one_sd_high: sd === null ? null : centre * Math.exp(sd),
    max_pain: maxPainOf(expiry, chain.spot),
    call_wall: callWall,
    put_wall: putWall
  }
}

type Market = ReturnType<typeof marketOf>

const tenth = decimals(1)

/** Explains the view, by the rule that derives it from the market. */
const viewWhy = (view: View, given: boolean, market: Market): string => {
  if (given) return "The view is yours."
  const { iv_minus_rv: premium, move_14d_sd: sd } = market
  if (view === "bullish" || view === "bearish") {
    return `The last 14 days moved by ${tenth(sd!)} standard deviations, and ${trendSd} make a trend here.`
  }
  const calm = sd === null
    ? "The move of 14 days is not known"
    : `No trend: 14 days moved by ${tenth(sd)} standard deviations`
  return premium === null
    ? `${calm}, and neither is what options cost against what moves did: nothing speaks for a move.`
    : `${calm}; 30-day IV is ${tenth(Math.abs(premium))} points ${premium < 0 ? "below" : "above"} what was realised.`
}

/** Explains how the level of IV and the skew support a plan. */
const whyOf = ({ volatility, why }: Plan, { iv_percentile, skew_25d }: Market): string => {
  if (volatility === "neither") {
    return skew_25d === null ? why : `${why} The 30-day skew is ${tenth(skew_25d)} points (calls less puts).`
  }
  if (iv_percentile === null) return why
  const dear = iv_percentile >= 50
  const level = `30-day IV is above that of ${Math.round(iv_percentile)} % of the days of its year`
  return (volatility === "sells") === dear
    ? `${why} ${level}: ${dear ? "options are dear to buy, good to sell" : "options are cheap to buy"}.`
    : `${why} ${level}, which speaks against ${volatility === "sells" ? "selling" : "buying"} options now.`
}

const risksOf = (view: View, { iv_minus_rv, iv_percentile, realised_30d_pct }: Market): ReadonlyArray<string> => {
  const sells = iv_percentile !== null && iv_percentile < 50
  return [
    "Prices are quotes of one instant, before fees: price the structure again before you deal, and see mid_debit_usd for what crossing the spread costs.",
    "probability_of_profit supposes a log-normal price without drift; coins jump more than it allows.",
    ...(view === "neutral"
      ? [
        "Who sells volatility is paid often and loses much at once: size by max_loss_usd, and where it is null by a jump of three standard deviations.",
        ...(sells ? ["IV is low in its year: little is paid for that risk."] : [])
      ]
      : []),
    ...(view === "volatile"
      ? [
        "Bought options lose theta every day, and vega if IV falls: a move that comes late may still lose.",
        ...(iv_minus_rv !== null && iv_minus_rv > 0
          ? [
            `IV stands ${tenth(iv_minus_rv)} points above the ${
              tenth(realised_30d_pct!)
            } % that was realised: moves must grow to pay for it.`
          ]
          : [])
      ]
      : []),
    ...(view === "bullish" || view === "bearish"
      ? [
        "A right direction that comes after the expiry earns nothing: compare break_evens with one_sd_low and one_sd_high."
      ]
      : []),
    "Sold options need margin, which grows as they lose; liquidation may come before the expiry."
  ]
}

const argumentsOf = (coin: string, expiry: OptionExpiry, legs: ReadonlyArray<BuiltLeg>) => ({
  coin,
  expiry: expiryDate(expiry.expiryAt),
  legs: legs.map(({ qty, side, strike, type }) => ({ type, strike, side, qty }))
})

/** Builds and prices a plan at the strikes of an expiry; null if its strikes are not quoted. */
const structureOf = Effect.fnUntraced(function*(
  chain: OptionChain,
  expiry: OptionExpiry,
  smile: FittedSmile | null,
  plan: Plan,
  market: Market
) {
  const legs = smile === null ? null : buildLegs(expiry, smile, plan)
  if (legs === null) return null
  const dealt = yield* dealStructure(chain, expiry, smile, legs)
  return {
    family: plan.family,
    why: whyOf(plan, market),
    risk: plan.risk,
    legs: legs.map(({ qty, side, strike, type }) => ({ type, side, qty, strike })),
    anchors: legs.map(({ anchor, anchorPrice, strike }) => ({ anchor, price: anchorPrice, strike })),
    structure_arguments: argumentsOf(chain.underlying, expiry, legs),
    debit_usd: dealt.debitUsd,
    max_profit_usd: dealt.maxProfitUsd,
    max_loss_usd: dealt.maxLossUsd,
    break_evens: dealt.breakEvens,
    probability_of_profit: dealt.probabilityOfProfit
  }
})

export const handler = handlerOf(
  getOptionStrategy,
  Effect.gen(function*() {
    const venue = yield* OptionsVenue
    const volatilities = yield* ImpliedVolatilities
    const prices = yield* CoinPrices
    const compute = yield* Compute
    return Effect.fnUntraced(function*({ coin, expiry: date, view: given }) {
      const { expiry, read } = yield* readExpiry(venue, coin, date)
      const chain = read.value
      const year = yield* ivYear(volatilities, coin, 30)
      const { smiles } = yield* fitSurface(compute, chain)
      const term = termOf(chain, smiles)
      const smile = smiles[chain.expiries.indexOf(expiry)] ?? null
      const standing = year === null ? null : standingOf(year.value, atMaturity(term, 30).atm)
      const ofPrices = yield* realised30d(prices, coin)
      const market = marketOf(chain, term, expiry, ofPrices.value, standing?.percentile ?? null)
      const view = given ?? viewOf({ moveSd: market.move_14d_sd, ivMinusRv: market.iv_minus_rv })
      const plans = plansOf(view, market.iv_percentile === null ? null : market.iv_percentile >= 50)
      const built = yield* Effect.forEach(plans, (plan) => structureOf(chain, expiry, smile, plan, market))
      const unbuilt = plans.filter((_, i) => built[i] === null).map(({ family }) => family)
      const notes: Array<string> = []
      if (unbuilt.length > 0) {
        notes.push(`Not enough strikes are quoted in this expiry for: ${unbuilt.join(", ")}.`)
      }
      if (market.iv_percentile === null) notes.push("iv_percentile is null: structures are in no order of preference.")
      if (market.realised_30d_pct === null) notes.push("Realised volatility is null: too few hours are recorded.")
      return {
        coin,
        view,
        view_from: given === undefined ? "market" as const : "argument" as const,
        view_why: viewWhy(view, given !== undefined, market),
        expiry: expiryDate(expiry.expiryAt),
        market: { ...market, iv_days: standing?.n ?? 0 },
        structures: built.filter((structure) => structure !== null),
        risks: risksOf(view, market),
        notes,
        ...provenanceOf(read),
        source: year === null ? sourceOf(read, ofPrices) : sourceOf(read, year, ofPrices)
      }
    })
  })
)
