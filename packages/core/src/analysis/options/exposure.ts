/** Open interest by strike, and the hedging needs of dealers if they hold the usual side of it. */
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
import { heldOf } from "./greeks.ts"

/** The assumption about the sides of open interest, which are not published. */
export const signAssumption =
  "Dealers are taken to be long every call and short every put (customers sell calls and buy puts): calls count +, puts -. Nobody publishes who holds what."

/** The open interest at a strike, in units of the underlying. */
export interface StrikeInterest {
  readonly strike: number
  readonly callOi: number
  readonly putOi: number
}

/** Returns the open interest of expiries by strike, ascending. Omits strikes without open interest. */
export const interestByStrike = (expiries: ReadonlyArray<OptionExpiry>): ReadonlyArray<StrikeInterest> => {
  const byStrike = new Map<number, { callOi: number; putOi: number }>()
  for (const { quotes } of expiries) {
    for (const { openInterest, strike, type } of quotes) {
      if (openInterest === null || openInterest === 0) continue
      const held = byStrike.get(strike) ?? { callOi: 0, putOi: 0 }
      if (type === "call") held.callOi += openInterest
      else held.putOi += openInterest
      byStrike.set(strike, held)
    }
  }
  return [...byStrike].map(([strike, held]) => ({ strike, ...held })).sort((a, b) => a.strike - b.strike)
}

/**
 * Returns the listed strike at which an expiry's holders receive least. Of several such strikes it is the one nearest
 * to the forward (or spot), also if it has no open interest. Null if there is no open interest.
 */
export const maxPainOf = (expiry: OptionExpiry, spot: number): number | null => {
  const held = new Map(interestByStrike([expiry]).map((row) => [row.strike, row]))
  const strikes = [...new Set(expiry.quotes.map(({ strike }) => strike))].sort((a, b) => a - b)
  return maxPain({
    strikes,
    callOi: strikes.map((strike) => held.get(strike)?.callOi ?? 0),
    putOi: strikes.map((strike) => held.get(strike)?.putOi ?? 0)
  }, expiry.forward ?? spot)
}

/** Returns the put/call ratio. Null if it is not reported, or if there are no calls. */
export const putCallOf = (
  expiries: ReadonlyArray<OptionExpiry>,
  field: "openInterest" | "volume24h"
): number | null => {
  const of = (type: "call" | "put"): ReadonlyArray<number> =>
    expiries.flatMap(({ quotes }) =>
      quotes.flatMap((quote) => quote.type === type && quote[field] !== null ? [quote[field]] : [])
    )
  return putCallRatio(of("put"), of("call"))
}

/** Gamma exposure at a strike, in whole USD per 1% move. Dealers' calls are at least 0, their puts at most 0. */
export interface StrikeGex {
  readonly strike: number
  readonly callUsd: number
  readonly putUsd: number
}

export interface Exposure {
  /** Ascending. Omits strikes whose exposure rounds to 0 USD. */
  readonly byStrike: ReadonlyArray<StrikeGex>
  /** The sum of `byStrike`. */
  readonly gexUsd: number
  readonly gammaFlip: number | null
  /** The total exposure at each of 21 spot prices, 0.8 to 1.2 times the present one. Each gamma is recomputed there. */
  readonly profile: ReadonlyArray<{ readonly spot: number; readonly gexUsd: number }>
  /** The strikes with the most call gamma and the most put gamma. */
  readonly callWall: number | null
  readonly putWall: number | null
  /** The change of dealers' delta in USD per point of volatility, and per day. */
  readonly vannaUsdPerPt: number
  readonly charmUsdPerDay: number
  /** The number of options with open interest that have no volatility or forward. They are excluded from all values. */
  readonly leftOut: number
}

type Position = Required<Pick<GammaOption, "type" | "strike" | "years" | "sigma" | "oi">> & { readonly forward: number }

const positionsOf = (expiries: ReadonlyArray<OptionExpiry>, time: number) => {
  const positions: Array<Position> = []
  let leftOut = 0
  for (const expiry of expiries) {
    for (const quote of expiry.quotes) {
      if (quote.openInterest === null || quote.openInterest === 0) continue
      const held = heldOf(expiry, quote, time)
      if (held === null) leftOut++
      else positions.push({ ...held, strike: quote.strike, type: quote.type, oi: quote.openInterest })
    }
  }
  return { positions, leftOut }
}

const gexByStrike = (positions: ReadonlyArray<Position>, spot: number): ReadonlyArray<StrikeGex> => {
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

/** Returns the strike of the largest value above 0. Of equal values, the lower strike. */
const most = (rows: ReadonlyArray<StrikeGex>, value: (row: StrikeGex) => number): number | null =>
  rows.reduce<StrikeGex | null>(
    (best, row) => value(row) > (best === null ? 0 : value(best)) ? row : best,
    null
  )?.strike ?? null

const profilePoints = 21

/** Returns dealers' exposure to expiries, under `signAssumption`. */
export const exposureOf = (expiries: ReadonlyArray<OptionExpiry>, spot: number, time: number): Exposure => {
  const { leftOut, positions } = positionsOf(expiries, time)
  const byStrike = gexByStrike(positions, spot)
  let vanna = 0
  let charm = 0
  for (const { forward, oi, sigma, strike, type, years } of positions) {
    const cross = black76Cross({ forward, strike, years, sigma })
    const usd = (type === "call" ? oi : -oi) * forward
    vanna += usd * cross.vanna
    charm += usd * cross.charm
  }
  const profile = gexProfile({ options: positions, spot, points: profilePoints })
  return {
    byStrike,
    gexUsd: byStrike.reduce((sum, { callUsd, putUsd }) => sum + callUsd + putUsd, 0),
    gammaFlip: gammaFlip({ options: positions, spot }),
    profile: [...profile.spots].map((at, i) => ({ spot: at, gexUsd: Math.round(profile.gex[i]!) + 0 })),
    callWall: most(byStrike, ({ callUsd }) => callUsd),
    putWall: most(byStrike, ({ putUsd }) => -putUsd),
    vannaUsdPerPt: vanna / 100,
    charmUsdPerDay: charm / 365,
    leftOut
  }
}
