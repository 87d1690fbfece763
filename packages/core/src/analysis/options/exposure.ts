/**
 * Open interest by strike, and what dealers must hedge if they hold its other side in the usual way.
 */
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

/** Who is taken to hold what: nobody publishes it. */
export const signAssumption =
  "Dealers are taken to be long every call and short every put (customers sell calls and buy puts): calls count +, puts -. Nobody publishes who holds what."

/** What is held at a strike, units of the underlying. */
export interface StrikeInterest {
  readonly strike: number
  readonly callOi: number
  readonly putOi: number
}

/** Open interest of some expiries by strike, ascending; strikes at which nothing is held are left out. */
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
 * The listed strike at which an expiry's holders are paid least, of several the one nearest to the forward (or spot);
 * null if nothing is held. A strike without open interest can be the nearest.
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

/** Puts over calls of what is told of it; null where nobody tells, or of no calls. */
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

/** Gamma exposure at a strike in whole USD per 1 % move; dealers' calls are at least 0, their puts at most. */
export interface StrikeGex {
  readonly strike: number
  readonly callUsd: number
  readonly putUsd: number
}

export interface Exposure {
  /** Ascending; strikes without a dollar of it are left out. */
  readonly byStrike: ReadonlyArray<StrikeGex>
  /** The sum of `byStrike`. */
  readonly gexUsd: number
  readonly gammaFlip: number | null
  /** Total exposure with every gamma recomputed at each of 21 spots, 0.8 to 1.2 times the present one. */
  readonly profile: ReadonlyArray<{ readonly spot: number; readonly gexUsd: number }>
  /** Strikes of most call gamma, and of most put gamma. */
  readonly callWall: number | null
  readonly putWall: number | null
  /** Dealers' delta in USD that a point of volatility adds, and that a day adds. */
  readonly vannaUsdPerPt: number
  readonly charmUsdPerDay: number
  /** Options that are held but have no volatility or forward, so that none of this counts them. */
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

/** The strike of the largest value above 0, the lower one of equals. */
const most = (rows: ReadonlyArray<StrikeGex>, value: (row: StrikeGex) => number): number | null =>
  rows.reduce<StrikeGex | null>(
    (best, row) => value(row) > (best === null ? 0 : value(best)) ? row : best,
    null
  )?.strike ?? null

const profilePoints = 21

/** Exposure of dealers to some expiries, under `signAssumption`. */
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
