import { Effect } from "effect"
import { expiryDate, findExpiry } from "../../analysis/options/expiry.ts"
import {
  exposureOf,
  interestByStrike,
  maxPainOf,
  putCallOf,
  signAssumption,
  type StrikeInterest
} from "../../analysis/options/exposure.ts"
import { counted } from "../../engine/text/counted.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import type { OptionExpiry } from "../../market/option.ts"
import { OptionsVenue } from "../../market/OptionsVenue.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { getOptionsPositioning } from "./getOptionsPositioning.ts"

/** The maximum number of strikes for all expiries together. */
const kept = 40

const interest = ({ callOi, putOi }: StrikeInterest): number => callOi + putOi

const sum = (rows: ReadonlyArray<StrikeInterest>): number => rows.reduce((all, row) => all + interest(row), 0)

const painRow = (spot: number) => (expiry: OptionExpiry) => ({
  expiry: expiryDate(expiry.expiryAt),
  strike: maxPainOf(expiry, spot),
  oi: sum(interestByStrike([expiry]))
})

/** Returns open interest and the dealers' exposure from it. Null or empty if no source reports open interest. */
const positioningOf = (expiries: ReadonlyArray<OptionExpiry>, spot: number, time: number) => {
  const told = expiries.some(({ quotes }) => quotes.some(({ openInterest }) => openInterest !== null))
  const rows = interestByStrike(expiries)
  const shown = expiries.length === 1
    ? rows
    : rows.toSorted((a, b) => interest(b) - interest(a)).slice(0, kept).sort((a, b) => a.strike - b.strike)
  const exposure = exposureOf(expiries, spot, time)
  const total = sum(rows)
  const notes: Array<string> = []
  if (!told) notes.push("No source tells open interest: what stands on it is null or empty.")
  if (shown.length < rows.length) {
    notes.push(
      `oi_by_strike holds ${shown.length} of ${rows.length} strikes, ${
        Math.round(100 * sum(shown) / total)
      } % of what is held; name an expiry for all of its strikes.`
    )
  }
  if (exposure.leftOut > 0) {
    notes.push(
      `${counted(exposure.leftOut, "option")} without volatility or forward are not in gamma, vanna and charm.`
    )
  }
  if (told && exposure.gammaFlip === null) {
    notes.push("gamma_flip is null: exposure keeps its sign within 20 % of the spot.")
  }
  const unless = <A>(value: A): A | null => told ? value : null
  return {
    oi_total: unless(total),
    oi_total_usd: unless(total * spot),
    oi_by_strike: shown.map((row) => ({
      strike: row.strike,
      call_oi: row.callOi,
      put_oi: row.putOi,
      oi_usd: interest(row) * spot
    })),
    put_call_ratio_oi: putCallOf(expiries, "openInterest"),
    put_call_ratio_volume: putCallOf(expiries, "volume24h"),
    max_pain: expiries.map(painRow(spot)),
    gex_usd_per_1pct: unless(exposure.gexUsd),
    gamma_flip: exposure.gammaFlip,
    gamma_profile: told ? exposure.profile.map(({ gexUsd, spot: at }) => ({ spot: at, gex_usd: gexUsd })) : [],
    gex_by_strike: exposure.byStrike.map(({ callUsd, putUsd, strike }) => ({ strike, gex_usd: callUsd + putUsd })),
    call_wall: exposure.callWall,
    put_wall: exposure.putWall,
    vanna: unless(exposure.vannaUsdPerPt),
    charm: unless(exposure.charmUsdPerDay),
    notes
  }
}

export const handler = handlerOf(
  getOptionsPositioning,
  Effect.gen(function*() {
    const venue = yield* OptionsVenue
    return Effect.fnUntraced(function*({ coin, expiry: asked }) {
      const read = yield* venue.chain({ coin })
      const { expiries, spot, time } = read.value
      const counted = asked === "all" ? expiries : [yield* findExpiry(read.value, asked)]
      return {
        coin,
        expiry: asked,
        spot,
        ...positioningOf(counted, spot, time),
        sign_assumption: signAssumption,
        ...provenanceOf(read)
      }
    })
  })
)
