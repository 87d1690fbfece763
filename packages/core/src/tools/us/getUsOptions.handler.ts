import { ivPercentile } from "@tapeline/quant/options"
import { Effect } from "effect"
import { findStock } from "../../analysis/equities/findStock.ts"
import { type StockVolatility, stockVolatility } from "../../analysis/equities/realised.ts"
import { chainRows, strikesOf } from "../../analysis/options/chainRows.ts"
import { daysUntil, expiryDate, findExpiry } from "../../analysis/options/expiry.ts"
import { exposureOf, maxPainOf, putCallOf, signAssumption } from "../../analysis/options/exposure.ts"
import { straddlePct } from "../../analysis/options/straddle.ts"
import { atMaturity, readTerm } from "../../analysis/options/term.ts"
import { isThirdFriday } from "../../analysis/options/usExpiry.ts"
import { Compute } from "../../engine/compute/Compute.ts"
import { counted } from "../../engine/text/counted.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { percent } from "../../engine/tool/rounding.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import type { OptionChain, OptionExpiry } from "../../market/option.ts"
import { provenanceOf, sourceOf } from "../../market/provenance.ts"
import { getUsOptions } from "./getUsOptions.ts"

const from = { country: "US", instead: "get_kr_stock" } as const
/** The minimum number of sessions for a rank. */
const leastRanked = 60

/** Returns open interest over all expiries, and the dealers' exposure from it. */
const heldOf = ({ expiries, spot, time }: OptionChain) => {
  const told = expiries.some(({ quotes }) => quotes.some(({ openInterest }) => openInterest !== null))
  const exposure = exposureOf(expiries, spot, time)
  const notes: Array<string> = []
  if (!told) notes.push("No source tells open interest: what stands on it is null or empty.")
  else if (exposure.gammaFlip === null) {
    notes.push("gamma_flip is null: exposure keeps its sign within 20 % of the price.")
  }
  if (exposure.leftOut > 0) {
    notes.push(`${counted(exposure.leftOut, "option")} without volatility or forward are not in the gamma.`)
  }
  return {
    put_call_ratio: putCallOf(expiries, "openInterest"),
    put_call_ratio_volume: putCallOf(expiries, "volume24h"),
    gex_usd_per_1pct: told ? exposure.gexUsd : null,
    gamma_flip: exposure.gammaFlip,
    gamma_profile: told ? exposure.profile.map(({ gexUsd, spot: at }) => ({ spot: at, gex_usd: gexUsd })) : [],
    sign_assumption: signAssumption,
    notes
  }
}

/** Returns one expiry with its rows. */
const expiryOf = ({ spot, time }: OptionChain, expiry: OptionExpiry, atm: number | null, count: number) => {
  const listed = strikesOf(expiry).length
  const chain = chainRows(expiry, time, expiry.forward ?? spot, count)
  const days = daysUntil(expiry.expiryAt, time)
  const notes: Array<string> = []
  if (chain.length < listed) {
    notes.push(`${chain.length} of ${listed} strikes are shown; raise \`strikes_around\` for more.`)
  }
  if (expiry.forward === null) {
    notes.push("No source tells the forward: greeks are null, and strikes are those nearest to the price.")
  } else if (chain.some(({ call, put }) => call?.delta === null || put?.delta === null)) {
    notes.push("Greeks are null where no volatility gives the mark.")
  }
  if (atm === null) notes.push("expected_move_pct is null: the money of this expiry is not quoted.")
  return {
    expiry: expiryDate(expiry.expiryAt),
    expires_at: instant(expiry.expiryAt),
    days,
    forward: expiry.forward,
    atm_iv_pct: atm,
    max_pain: maxPainOf(expiry, spot),
    expected_move_pct: atm === null ? null : straddlePct(percent(atm) / 100 * Math.sqrt(days / 365)),
    chain,
    strikes_listed: listed,
    notes
  }
}

const volatilityNotes = (atm: number | null, rr25: number | null, past: StockVolatility): ReadonlyArray<string> => {
  const notes: Array<string> = []
  if (atm === null) notes.push("iv30_pct is null: no quoted expiries lie on both sides of 30 days.")
  else if (rr25 === null) notes.push("skew_25d is null: a 25-delta wing is not quoted.")
  if (past.year.length < leastRanked) {
    notes.push(`iv30_percentile_of_realised is null: fewer than ${leastRanked} sessions have a volatility.`)
  }
  return notes
}

export const handler = handlerOf(
  getUsOptions,
  Effect.gen(function*() {
    const equities = yield* EquityMarkets
    const compute = yield* Compute
    return Effect.fnUntraced(function*({ expiry: date, strikes_around, symbol: asked }) {
      const { notes: taken, stock } = yield* findStock(equities, asked, from)
      const { symbol } = stock
      const read = yield* equities.options({ symbol })
      const expiry = yield* findExpiry(read.value, date, isThirdFriday)
      const term = yield* readTerm(compute, read.value)
      const month = atMaturity(term, 30)
      const past = yield* stockVolatility(equities, symbol)
      const { pct, year } = past.value
      const atm = term.find(({ expiryAt }) => expiryAt === expiry.expiryAt)?.atm ?? null
      const held = heldOf(read.value)
      const shown = expiryOf(read.value, expiry, atm, strikes_around)
      return {
        symbol,
        name: stock.name,
        spot: read.value.spot,
        iv30_pct: month.atm,
        realised_30d_pct: pct,
        iv30_percentile_of_realised: month.atm === null || year.length < leastRanked
          ? null
          : ivPercentile(month.atm, year),
        percentile_n: year.length,
        skew_25d: month.rr25,
        expiries: read.value.expiries.map(({ expiryAt }) => expiryDate(expiryAt)),
        ...held,
        ...shown,
        notes: [...taken, ...volatilityNotes(month.atm, month.rr25, past.value), ...held.notes, ...shown.notes],
        ...provenanceOf(read),
        source: sourceOf(read, past)
      }
    })
  })
)
