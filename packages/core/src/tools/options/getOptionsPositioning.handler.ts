import { Effect } from "effect"
import { findExpiry, formatExpiryDate } from "../../analysis/options/expiry.ts"
import {
  computeExposure,
  dealerSignAssumption,
  getMaxPain,
  getPutCallRatio,
  type StrikeInterest,
  sumInterestByStrike
} from "../../analysis/options/exposure.ts"
import { formatCount } from "../../engine/text/formatting.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import type { OptionExpiry } from "../../market/option.ts"
import { OptionsVenue } from "../../market/OptionsVenue.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { getOptionsPositioning } from "./getOptionsPositioning.ts"

/** The maximum number of strikes in a result that covers several expiries. */
const maxStrikes = 40

const totalInterest = ({ callOi, putOi }: StrikeInterest): number => callOi + putOi

const sumInterest = (rows: ReadonlyArray<StrikeInterest>): number =>
  rows.reduce((all, row) => all + totalInterest(row), 0)

const makeToPainRow = (spot: number) => (expiry: OptionExpiry) => ({
  expiry: formatExpiryDate(expiry.expiryAt),
  strike: getMaxPain(expiry, spot),
  oi: sumInterest(sumInterestByStrike([expiry]))
})

/** Returns open interest and the dealers' exposure. Values are null or empty if no source reports open interest. */
const computePositioning = (expiries: ReadonlyArray<OptionExpiry>, spot: number, time: number) => {
  const hasOpenInterest = expiries.some(({ quotes }) => quotes.some(({ openInterest }) => openInterest !== null))
  const rows = sumInterestByStrike(expiries)
  const shownRows = expiries.length === 1
    ? rows
    : rows.toSorted((a, b) => totalInterest(b) - totalInterest(a)).slice(0, maxStrikes).sort((a, b) =>
      a.strike - b.strike
    )
  const exposure = computeExposure(expiries, spot, time)
  const total = sumInterest(rows)
  const notes: Array<string> = []
  if (!hasOpenInterest) notes.push("No source reports open interest, so the values that need it are null or empty.")
  if (shownRows.length < rows.length) {
    notes.push(
      `oi_by_strike contains ${shownRows.length} of ${rows.length} strikes, ${
        Math.round(100 * sumInterest(shownRows) / total)
      } % of the open interest; pass an expiry for all of its strikes.`
    )
  }
  if (exposure.excludedCount > 0) {
    notes.push(
      `${
        formatCount(exposure.excludedCount, "option")
      } without volatility or forward are not included in gamma, vanna and charm.`
    )
  }
  if (hasOpenInterest && exposure.gammaFlip === null) {
    notes.push("gamma_flip is null: exposure keeps its sign within 20 % of the spot.")
  }
  const nullUnlessReported = <A>(value: A): A | null => hasOpenInterest ? value : null
  return {
    oi_total: nullUnlessReported(total),
    oi_total_usd: nullUnlessReported(total * spot),
    oi_by_strike: shownRows.map((row) => ({
      strike: row.strike,
      call_oi: row.callOi,
      put_oi: row.putOi,
      oi_usd: totalInterest(row) * spot
    })),
    put_call_ratio_oi: getPutCallRatio(expiries, "openInterest"),
    put_call_ratio_volume: getPutCallRatio(expiries, "volume24h"),
    max_pain: expiries.map(makeToPainRow(spot)),
    gex_usd_per_1pct: nullUnlessReported(exposure.gexUsd),
    gamma_flip: exposure.gammaFlip,
    gamma_profile: hasOpenInterest
      ? exposure.profile.map(({ gexUsd, spot: at }) => ({ spot: at, gex_usd: gexUsd }))
      : [],
    gex_by_strike: exposure.byStrike.map(({ callUsd, putUsd, strike }) => ({ strike, gex_usd: callUsd + putUsd })),
    call_wall: exposure.callWall,
    put_wall: exposure.putWall,
    vanna: nullUnlessReported(exposure.vannaUsdPerPt),
    charm: nullUnlessReported(exposure.charmUsdPerDay),
    notes
  }
}

export const handler = handlerOf(
  getOptionsPositioning,
  Effect.gen(function*() {
    const venue = yield* OptionsVenue
    return Effect.fnUntraced(function*({ coin, expiry: requestedExpiry }) {
      const reading = yield* venue.chain({ coin })
      const { expiries, spot, time } = reading.value
      const selectedExpiries = requestedExpiry === "all"
        ? expiries
        : [yield* findExpiry(reading.value, requestedExpiry)]
      return {
        coin,
        expiry: requestedExpiry,
        spot,
        ...computePositioning(selectedExpiries, spot, time),
        sign_assumption: dealerSignAssumption,
        ...provenanceOf(reading)
      }
    })
  })
)
