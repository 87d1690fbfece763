import { ivPercentile } from "@tapeline/quant/options"
import { Effect } from "effect"
import { findStock } from "../../analysis/equities/findStock.ts"
import { readStockVolatility, type StockVolatility } from "../../analysis/equities/stockVolatility.ts"
import { getStrikes, makeChainRows } from "../../analysis/options/chainRows.ts"
import { getStraddlePct } from "../../analysis/options/eventMove.ts"
import { findExpiry, formatExpiryDate, getDaysUntil, isThirdFriday } from "../../analysis/options/expiry.ts"
import { computeExposure, dealerSignAssumption, getMaxPain, getPutCallRatio } from "../../analysis/options/exposure.ts"
import { interpolateAtMaturity, readTerm } from "../../analysis/options/termStructure.ts"
import { Compute } from "../../engine/compute/Compute.ts"
import { formatCount } from "../../engine/text/formatting.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { percent } from "../../engine/tool/rounding.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import type { OptionChain, OptionExpiry } from "../../market/option.ts"
import { provenanceOf, sourceText } from "../../market/provenance.ts"
import { getUsOptions } from "./getUsOptions.ts"

const lookupOptions = { country: "US", otherTool: "get_kr_stock" } as const
const minRankedSessions = 60

/** Returns the total open interest of all expiries, and the dealers' exposure that results from it. */
const toOpenInterestFields = ({ expiries, spot, time }: OptionChain) => {
  const hasOpenInterest = expiries.some(({ quotes }) => quotes.some(({ openInterest }) => openInterest !== null))
  const exposure = computeExposure(expiries, spot, time)
  const notes: Array<string> = []
  if (!hasOpenInterest) notes.push("No source reports open interest, so the values that need it are null or empty.")
  else if (exposure.gammaFlip === null) {
    notes.push("gamma_flip is null: exposure keeps its sign within 20 % of the price.")
  }
  if (exposure.excludedCount > 0) {
    notes.push(
      `${formatCount(exposure.excludedCount, "option")} without volatility or forward are not included in gamma.`
    )
  }
  return {
    put_call_ratio: getPutCallRatio(expiries, "openInterest"),
    put_call_ratio_volume: getPutCallRatio(expiries, "volume24h"),
    gex_usd_per_1pct: hasOpenInterest ? exposure.gexUsd : null,
    gamma_flip: exposure.gammaFlip,
    gamma_profile: hasOpenInterest
      ? exposure.profile.map(({ gexUsd, spot: at }) => ({ spot: at, gex_usd: gexUsd }))
      : [],
    sign_assumption: dealerSignAssumption,
    notes
  }
}

const toExpiryFields = ({ spot, time }: OptionChain, expiry: OptionExpiry, atm: number | null, count: number) => {
  const listed = getStrikes(expiry).length
  const chain = makeChainRows(expiry, time, expiry.forward ?? spot, count)
  const days = getDaysUntil(expiry.expiryAt, time)
  const notes: Array<string> = []
  if (chain.length < listed) {
    notes.push(`${chain.length} of ${listed} strikes are listed; raise \`strikes_around\` for more.`)
  }
  if (expiry.forward === null) {
    notes.push("No source reports the forward, so greeks are null, and strikes are nearest to the price.")
  } else if (chain.some(({ call, put }) => call?.delta === null || put?.delta === null)) {
    notes.push("Greeks are null if no volatility reproduces the mark.")
  }
  if (atm === null) notes.push("expected_move_pct is null: this expiry has no quotes at the money.")
  return {
    expiry: formatExpiryDate(expiry.expiryAt),
    expires_at: formatInstant(expiry.expiryAt),
    days,
    forward: expiry.forward,
    atm_iv_pct: atm,
    max_pain: getMaxPain(expiry, spot),
    expected_move_pct: atm === null ? null : getStraddlePct(percent(atm) / 100 * Math.sqrt(days / 365)),
    chain,
    strikes_listed: listed,
    notes
  }
}

const makeVolatilityNotes = (atm: number | null, rr25: number | null, past: StockVolatility): ReadonlyArray<string> => {
  const notes: Array<string> = []
  if (atm === null) notes.push("iv30_pct is null: no quoted expiries lie on both sides of 30 days.")
  else if (rr25 === null) notes.push("skew_25d is null: a 25-delta wing is not quoted.")
  if (past.lastYearPct.length < minRankedSessions) {
    notes.push(`iv30_percentile_of_realised is null: fewer than ${minRankedSessions} sessions have a volatility.`)
  }
  return notes
}

export const handler = handlerOf(
  getUsOptions,
  Effect.gen(function*() {
    const equities = yield* EquityMarkets
    const compute = yield* Compute
    return Effect.fnUntraced(function*({ expiry: date, strikes_around, symbol: requestedSymbol }) {
      const { notes: lookupNotes, stock } = yield* findStock(equities, requestedSymbol, lookupOptions)
      const { symbol } = stock
      const reading = yield* equities.options({ symbol })
      const expiry = yield* findExpiry(reading.value, date, isThirdFriday)
      const term = yield* readTerm(compute, reading.value)
      const month = interpolateAtMaturity(term, 30)
      const past = yield* readStockVolatility(equities, symbol)
      const { currentPct, lastYearPct } = past.value
      const atm = term.find(({ expiryAt }) => expiryAt === expiry.expiryAt)?.atm ?? null
      const openInterestFields = toOpenInterestFields(reading.value)
      const expiryFields = toExpiryFields(reading.value, expiry, atm, strikes_around)
      return {
        symbol,
        name: stock.name,
        spot: reading.value.spot,
        iv30_pct: month.atm,
        realised_30d_pct: currentPct,
        iv30_percentile_of_realised: month.atm === null || lastYearPct.length < minRankedSessions
          ? null
          : ivPercentile(month.atm, lastYearPct),
        percentile_n: lastYearPct.length,
        skew_25d: month.rr25,
        expiries: reading.value.expiries.map(({ expiryAt }) => formatExpiryDate(expiryAt)),
        ...openInterestFields,
        ...expiryFields,
        notes: [
          ...lookupNotes,
          ...makeVolatilityNotes(month.atm, month.rr25, past.value),
          ...openInterestFields.notes,
          ...expiryFields.notes
        ],
        ...provenanceOf(reading),
        source: sourceText(reading, past)
      }
    })
  })
)
