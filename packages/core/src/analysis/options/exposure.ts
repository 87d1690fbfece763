/** Computes the open interest by strike, and the exposure of dealers under an assumption about dealers' positions. */
import {
  black76,
  black76Cross,
  gammaFlip,
  type GammaOption,
  gexPer1Pct,
  gexProfile,
  maxPain,
  putCallRatio
} from "@tapeline/quant/options"
import type { OptionExpiry } from "../../market/option.ts"
import { getGreekInputs } from "./greeks.ts"

/** The assumption about which options dealers hold. Dealers publish no actual holdings. */
export const dealerSignAssumption =
  "Assumes that dealers are long every call and short every put (customers sell calls and buy puts): calls count +, puts -. Actual holdings are not published."

/** The open interest at a strike, in units of the underlying. */
export interface StrikeInterest {
  readonly strike: number
  readonly callOi: number
  readonly putOi: number
}

export const sumInterestByStrike = (expiries: ReadonlyArray<OptionExpiry>): ReadonlyArray<StrikeInterest> => {
  const byStrike = new Map<number, { callOi: number; putOi: number }>()
  for (const { quotes } of expiries) {
    for (const { openInterest, strike, type } of quotes) {
      if (openInterest === null || openInterest === 0) continue
      const interest = byStrike.get(strike) ?? { callOi: 0, putOi: 0 }
      if (type === "call") interest.callOi += openInterest
      else interest.putOi += openInterest
      byStrike.set(strike, interest)
    }
  }
  return [...byStrike].map(([strike, held]) => ({ strike, ...held })).sort((a, b) => a.strike - b.strike)
}

/**
 * Returns the listed strike at which an expiry's option holders receive least, or null without open interest. If
 * several strikes pay the holders equally little, returns the strike nearest to the forward price. If the forward price
 * is unknown, the spot price is used.
 */
export const getMaxPain = (expiry: OptionExpiry, spot: number): number | null => {
  const interest = new Map(sumInterestByStrike([expiry]).map((row) => [row.strike, row]))
  const strikes = [...new Set(expiry.quotes.map(({ strike }) => strike))].sort((a, b) => a - b)
  return maxPain({
    strikes,
    callOi: strikes.map((strike) => interest.get(strike)?.callOi ?? 0),
    putOi: strikes.map((strike) => interest.get(strike)?.putOi ?? 0)
  }, expiry.forward ?? spot)
}

/** Returns the put/call ratio. The ratio is null if no values are reported or there are no calls. */
export const getPutCallRatio = (
  expiries: ReadonlyArray<OptionExpiry>,
  field: "openInterest" | "volume24h"
): number | null => {
  const valuesOf = (type: "call" | "put"): ReadonlyArray<number> =>
    expiries.flatMap(({ quotes }) =>
      quotes.flatMap((quote) => quote.type === type && quote[field] !== null ? [quote[field]] : [])
    )
  return putCallRatio(valuesOf("put"), valuesOf("call"))
}

/**
 * The gamma exposure of the options at a strike, in whole USD per price move of 1%. Call exposure is never negative,
 * and put exposure is never positive.
 */
export interface StrikeGex {
  readonly strike: number
  readonly callUsd: number
  readonly putUsd: number
}

export interface Exposure {
  /**
   * The gamma exposure of each strike, in ascending order of strikes. Strikes whose exposure rounds to 0 USD are
   * omitted.
   */
  readonly byStrike: ReadonlyArray<StrikeGex>
  /** The total gamma exposure: the sum of `byStrike`. */
  readonly gexUsd: number
  readonly gammaFlip: number | null
  /** The total gamma exposure at each of 21 spot prices, 0.8 to 1.2 times the current price. */
  readonly profile: ReadonlyArray<{ readonly spot: number; readonly gexUsd: number }>
  /** The strike with the most call gamma. */
  readonly callWall: number | null
  readonly putWall: number | null
  /** The change of dealers' delta in USD per volatility point. */
  readonly vannaUsdPerPt: number
  readonly charmUsdPerDay: number
  /**
   * The number of options with open interest that lack a volatility or a forward price. No exposure includes these
   * options.
   */
  readonly excludedCount: number
}

type Position = Required<Pick<GammaOption, "type" | "strike" | "years" | "sigma" | "oi">> & { readonly forward: number }

const toPositions = (expiries: ReadonlyArray<OptionExpiry>, time: number) => {
  const positions: Array<Position> = []
  let excludedCount = 0
  for (const expiry of expiries) {
    for (const quote of expiry.quotes) {
      if (quote.openInterest === null || quote.openInterest === 0) continue
      const inputs = getGreekInputs(expiry, quote, time)
      if (inputs === null) excludedCount++
      else positions.push({ ...inputs, strike: quote.strike, type: quote.type, oi: quote.openInterest })
    }
  }
  return { positions, excludedCount }
}

const sumGexByStrike = (positions: ReadonlyArray<Position>, spot: number): ReadonlyArray<StrikeGex> => {
  const byStrike = new Map<number, { callUsd: number; putUsd: number }>()
  for (const { forward, oi, sigma, strike, type, years } of positions) {
    const { gamma } = black76({ forward, strike, years, sigma, type })
    const usd = gexPer1Pct({ options: [{ type, gamma, oi, forward }], spot })
    const sum = byStrike.get(strike) ?? { callUsd: 0, putUsd: 0 }
    if (type === "call") sum.callUsd += usd
    else sum.putUsd += usd
    byStrike.set(strike, sum)
  }
  return [...byStrike]
    .map(([strike, { callUsd, putUsd }]) => ({
      strike,
      callUsd: Math.round(callUsd),
      putUsd: Math.round(putUsd) + 0
    }))
    .filter(({ callUsd, putUsd }) => callUsd !== 0 || putUsd !== 0)
    .sort((a, b) => a.strike - b.strike)
}

/**
 * Returns the strike with the largest positive value, or null if no value is positive. If several strikes have equal
 * values, the lowest strike is returned.
 */
const findLargestStrike = (rows: ReadonlyArray<StrikeGex>, value: (row: StrikeGex) => number): number | null =>
  rows.reduce<StrikeGex | null>(
    (best, row) => value(row) > (best === null ? 0 : value(best)) ? row : best,
    null
  )?.strike ?? null

const profilePoints = 21

/** Returns dealers' exposure to expiries, under `dealerSignAssumption`. */
export const computeExposure = (expiries: ReadonlyArray<OptionExpiry>, spot: number, time: number): Exposure => {
  const { excludedCount, positions } = toPositions(expiries, time)
  const byStrike = sumGexByStrike(positions, spot)
  let vanna = 0
  let charm = 0
  for (const { forward, oi, sigma, strike, type, years } of positions) {
    const crossGreeks = black76Cross({ forward, strike, years, sigma })
    const usd = (type === "call" ? oi : -oi) * forward
    vanna += usd * crossGreeks.vanna
    charm += usd * crossGreeks.charm
  }
  const profile = gexProfile({ options: positions, spot, points: profilePoints })
  return {
    byStrike,
    gexUsd: byStrike.reduce((sum, { callUsd, putUsd }) => sum + callUsd + putUsd, 0),
    gammaFlip: gammaFlip({ options: positions, spot }),
    profile: [...profile.spots].map((spotPrice, i) => ({ spot: spotPrice, gexUsd: Math.round(profile.gex[i]!) + 0 })),
    callWall: findLargestStrike(byStrike, ({ callUsd }) => callUsd),
    putWall: findLargestStrike(byStrike, ({ putUsd }) => -putUsd),
    vannaUsdPerPt: vanna / 100,
    charmUsdPerDay: charm / 365,
    excludedCount
  }
}
