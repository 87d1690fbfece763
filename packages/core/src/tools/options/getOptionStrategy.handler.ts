import { Effect } from "effect"
import { readRealised30d, type RealisedVolatility } from "../../analysis/options/coinVolatility.ts"
import { formatExpiryDate, readExpiry, yearMs } from "../../analysis/options/expiry.ts"
import { computeExposure, getMaxPain } from "../../analysis/options/exposure.ts"
import { fitSurface, type FittedSmile } from "../../analysis/options/fittedSmile.ts"
import { makeIndexNotes, rankIv, readIvYear } from "../../analysis/options/ivRank.ts"
import { priceStructure } from "../../analysis/options/pricedStructure.ts"
import {
  chooseView,
  getPlans,
  type MarketView,
  minTrendSd,
  type StrategyPlan
} from "../../analysis/options/strategies.ts"
import { buildLegs, type BuiltLeg } from "../../analysis/options/strategyLegs.ts"
import { interpolateAtMaturity, summariseTerm, type TermPoint } from "../../analysis/options/termStructure.ts"
import { Compute } from "../../engine/compute/Compute.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { fraction, percent, roundToDecimals } from "../../engine/tool/rounding.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { ImpliedVolatilities } from "../../market/ImpliedVolatilities.ts"
import type { OptionChain, OptionExpiry } from "../../market/option.ts"
import { OptionsVenue } from "../../market/OptionsVenue.ts"
import { provenanceOf, sourceText } from "../../market/provenance.ts"
import { hourMs } from "../../market/timeframe.ts"
import { getOptionStrategy } from "./getOptionStrategy.ts"

const moveWindowMs = 14 * 24 * hourMs

/**
 * Returns the price move over the last 14 days, in percent and in standard deviations. Both values are null if the
 * first or last hour is missing.
 */
const computeMove = (
  { hours, pct }: RealisedVolatility
): { readonly pct: number | null; readonly sd: number | null } => {
  const last = hours.at(-1)
  const first = last === undefined ? undefined : hours.find(({ time }) => time === last.time - moveWindowMs)
  if (last === undefined || first === undefined) return { pct: null, sd: null }
  const log = Math.log(last.close / first.close)
  return {
    pct: percent(100 * (last.close / first.close - 1)),
    sd: pct === null || pct === 0 ? null : fraction(log / ((pct / 100) * Math.sqrt(moveWindowMs / yearMs)))
  }
}

/** Returns the market data of a coin and an expiry, rounded to the precision of the result. */
const toMarketFields = (
  chain: OptionChain,
  term: ReadonlyArray<TermPoint>,
  expiry: OptionExpiry,
  realised: RealisedVolatility,
  ivPercentile: number | null
) => {
  const month = interpolateAtMaturity(term, 30)
  const move = computeMove(realised)
  const roundPercent = (value: number | null): number | null => value === null ? null : percent(value)
  const [iv, rv] = [roundPercent(month.atm), roundPercent(realised.pct)]
  const expiryTerm = term[chain.expiries.indexOf(expiry)]!
  const centre = expiry.forward ?? chain.spot
  const sd = expiryTerm.atm === null
    ? null
    : (expiryTerm.atm / 100) * Math.sqrt((expiry.expiryAt - chain.time) / yearMs)
  const { callWall, putWall } = computeExposure([expiry], chain.spot, chain.time)
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
    max_pain: getMaxPain(expiry, chain.spot),
    call_wall: callWall,
    put_wall: putWall
  }
}

type Market = ReturnType<typeof toMarketFields>

const roundToTenth = roundToDecimals(1)

/** Explains how the market view follows from the market data. */
const explainView = (view: MarketView, isGiven: boolean, market: Market): string => {
  if (isGiven) return "The view was passed by the caller."
  const { iv_minus_rv: premium, move_14d_sd: sd } = market
  if (view === "bullish" || view === "bearish") {
    return `The last 14 days moved by ${roundToTenth(sd!)} standard deviations; a trend needs ${minTrendSd}.`
  }
  const trendText = sd === null
    ? "The move of 14 days is unknown"
    : `No trend: 14 days moved by ${roundToTenth(sd)} standard deviations`
  return premium === null
    ? `${trendText}, and implied cannot be compared with realised volatility: nothing indicates a move.`
    : `${trendText}; 30-day IV is ${roundToTenth(Math.abs(premium))} points ${
      premium < 0 ? "below" : "above"
    } realised volatility.`
}

/** Explains how the level of implied volatility and the skew support a strategy plan. */
const explainPlan = ({ volatility, why }: StrategyPlan, { iv_percentile, skew_25d }: Market): string => {
  if (volatility === "neither") {
    return skew_25d === null ? why : `${why} The 30-day skew is ${roundToTenth(skew_25d)} points (calls minus puts).`
  }
  if (iv_percentile === null) return why
  const isExpensive = iv_percentile >= 50
  const level = `30-day IV is higher than on ${Math.round(iv_percentile)} % of the days of the last year`
  return (volatility === "sells") === isExpensive
    ? `${why} ${level}: ${
      isExpensive ? "options are expensive, which favours selling" : "options are cheap, which favours buying"
    }.`
    : `${why} ${level}, which speaks against ${volatility === "sells" ? "selling" : "buying"} options now.`
}

const listRisks = (
  view: MarketView,
  { iv_minus_rv, iv_percentile, realised_30d_pct }: Market
): ReadonlyArray<string> => {
  const isIvLow = iv_percentile !== null && iv_percentile < 50
  return [
    "Prices are quotes of one instant, before fees: price the structure again before a trade, and compare mid_debit_usd for the cost of the spread.",
    "probability_of_profit assumes a log-normal price without drift; coins jump more often than this model.",
    ...(view === "neutral"
      ? [
        "Selling volatility wins often and loses much at once: size the position by max_loss_usd, or by a jump of three standard deviations if it is null.",
        ...(isIvLow ? ["IV is low compared with the last year, so this risk is paid poorly."] : [])
      ]
      : []),
    ...(view === "volatile"
      ? [
        "Bought options lose theta every day, and vega if IV falls: even a correct move may lose if it is late.",
        ...(iv_minus_rv !== null && iv_minus_rv > 0
          ? [
            `IV is ${roundToTenth(iv_minus_rv)} points above the realised ${
              roundToTenth(realised_30d_pct!)
            } %: moves must become larger to pay for it.`
          ]
          : [])
      ]
      : []),
    ...(view === "bullish" || view === "bearish"
      ? [
        "A correct direction after the expiry earns nothing: compare break_evens with one_sd_low and one_sd_high."
      ]
      : []),
    "Sold options need margin, which grows as they lose; liquidation may come before the expiry."
  ]
}

const toStructureArguments = (coin: string, expiry: OptionExpiry, legs: ReadonlyArray<BuiltLeg>) => ({
  coin,
  expiry: formatExpiryDate(expiry.expiryAt),
  legs: legs.map(({ qty, side, strike, type }) => ({ type, strike, side, qty }))
})

/** Builds and prices a strategy plan with an expiry's strikes, or returns null if a needed strike is not quoted. */
const buildStructure = Effect.fnUntraced(function*(
  chain: OptionChain,
  expiry: OptionExpiry,
  smile: FittedSmile | null,
  plan: StrategyPlan,
  market: Market
) {
  const legs = smile === null ? null : buildLegs(expiry, smile, plan)
  if (legs === null) return null
  const pricedStructure = yield* priceStructure(chain, expiry, smile, legs)
  return {
    family: plan.family,
    why: explainPlan(plan, market),
    risk: plan.risk,
    legs: legs.map(({ qty, side, strike, type }) => ({ type, side, qty, strike })),
    anchors: legs.map(({ anchor, anchorPrice, strike }) => ({ anchor, price: anchorPrice, strike })),
    structure_arguments: toStructureArguments(chain.underlying, expiry, legs),
    debit_usd: pricedStructure.debitUsd,
    max_profit_usd: pricedStructure.maxProfitUsd,
    max_loss_usd: pricedStructure.maxLossUsd,
    break_evens: pricedStructure.breakEvens,
    probability_of_profit: pricedStructure.probabilityOfProfit
  }
})

export const handler = handlerOf(
  getOptionStrategy,
  Effect.gen(function*() {
    const venue = yield* OptionsVenue
    const volatilities = yield* ImpliedVolatilities
    const prices = yield* CoinPrices
    const compute = yield* Compute
    return Effect.fnUntraced(function*({ coin, expiry: date, view: requestedView }) {
      const { expiry, read } = yield* readExpiry(venue, coin, date)
      const chain = read.value
      const year = yield* readIvYear(volatilities, coin, 30)
      const { smiles } = yield* fitSurface(compute, chain)
      const term = summariseTerm(chain, smiles)
      const smile = smiles[chain.expiries.indexOf(expiry)] ?? null
      const ivStanding = year === null ? null : rankIv(year.value, interpolateAtMaturity(term, 30).atm)
      const realisedReading = yield* readRealised30d(prices, coin)
      const market = toMarketFields(chain, term, expiry, realisedReading.value, ivStanding?.percentile ?? null)
      const view = requestedView ?? chooseView({ moveSd: market.move_14d_sd, ivMinusRv: market.iv_minus_rv })
      const plans = getPlans(view, market.iv_percentile === null ? null : market.iv_percentile >= 50)
      const structures = yield* Effect.forEach(plans, (plan) => buildStructure(chain, expiry, smile, plan, market))
      const unbuiltFamilies = plans.filter((_, i) => structures[i] === null).map(({ family }) => family)
      const notes: Array<string> = []
      if (unbuiltFamilies.length > 0) {
        notes.push(`Not enough strikes are quoted in this expiry for: ${unbuiltFamilies.join(", ")}.`)
      }
      if (market.iv_percentile === null) {
        notes.push("iv_percentile is null, so the structures are not in order of preference.")
      }
      notes.push(...makeIndexNotes([ivStanding], "iv_percentile is", "iv_30d_pct"))
      if (market.realised_30d_pct === null) notes.push("Realised volatility is null: too few hours are recorded.")
      return {
        coin,
        view,
        view_from: requestedView === undefined ? "market" as const : "argument" as const,
        view_why: explainView(view, requestedView !== undefined, market),
        expiry: formatExpiryDate(expiry.expiryAt),
        market: { ...market, iv_days: ivStanding?.sampleSize ?? 0 },
        structures: structures.filter((structure) => structure !== null),
        risks: listRisks(view, market),
        notes,
        ...provenanceOf(read),
        source: year === null ? sourceText(read, realisedReading) : sourceText(read, year, realisedReading)
      }
    })
  })
)
