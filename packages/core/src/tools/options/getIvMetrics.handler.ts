import { Effect } from "effect"
import { expiryDate } from "../../analysis/options/expiry.ts"
import { type IvStanding, ivYear, rankDays, standingOf } from "../../analysis/options/ivHistory.ts"
import { type Realised, realised30d } from "../../analysis/options/realised.ts"
import { atMaturity, readTerm, type SmilePoint, type TermPoint } from "../../analysis/options/term.ts"
import { Compute } from "../../engine/compute/Compute.ts"
import { counted } from "../../engine/text/counted.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { percent } from "../../engine/tool/rounding.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { ImpliedVolatilities } from "../../market/ImpliedVolatilities.ts"
import { OptionsVenue } from "../../market/OptionsVenue.ts"
import { provenanceOf, sourceOf } from "../../market/provenance.ts"
import { getIvMetrics } from "./getIvMetrics.ts"

/** Returns the difference of two rounded numbers. */
const less = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? null : percent(a) - percent(b)

const notesOn = (month: SmilePoint, standing: IvStanding | null, realised: Realised): Array<string> => {
  const notes: Array<string> = []
  if (month.atm === null) notes.push("No 30-day IV: no quoted expiries lie on both sides of 30 days.")
  else if (month.rr25 === null) notes.push("skew_25d and butterfly_25d are null: a 25-delta wing is not quoted.")
  if (standing === null) notes.push("iv_rank and iv_percentile are null: nothing to rank, or no history to rank it in.")
  else {
    if (standing.n < rankDays) {
      notes.push(`Rank and percentile stand on ${counted(standing.n, "day")}: others were not recorded.`)
    }
    if (standing.method === "index") {
      notes.push("Rank and percentile are of the venue's index, whose level is not that of atm_iv_pct.")
    }
    if (standing.rank === null) notes.push("iv_rank is null: IV has not moved in its history.")
  }
  if (realised.pct === null) {
    notes.push("realised_30d_pct is null: less than two thirds of the last 720 hours is recorded.")
  }
  return notes
}

const termRow = ({ atm, bf25, days, expiryAt, rr25 }: TermPoint) => ({
  expiry: expiryDate(expiryAt),
  days,
  atm_iv_pct: atm,
  skew_25d: rr25,
  butterfly_25d: bf25
})

export const handler = handlerOf(
  getIvMetrics,
  Effect.gen(function*() {
    const venue = yield* OptionsVenue
    const volatilities = yield* ImpliedVolatilities
    const prices = yield* CoinPrices
    const compute = yield* Compute
    return Effect.fnUntraced(function*({ coin }) {
      const read = yield* venue.chain({ coin })
      const term = yield* readTerm(compute, read.value)
      const [week, month, quarter] = [atMaturity(term, 7), atMaturity(term, 30), atMaturity(term, 90)]
      const year = yield* ivYear(volatilities, coin, 30)
      const standing = year === null ? null : standingOf(year.value, month.atm)
      const ofPrices = yield* realised30d(prices, coin)
      const realised = ofPrices.value
      return {
        coin,
        atm_iv_pct: { "7d": week.atm, "30d": month.atm, "90d": quarter.atm },
        iv_rank: standing?.rank ?? null,
        iv_percentile: standing?.percentile ?? null,
        history: standing === null ? null : {
          method: standing.method,
          current_pct: standing.current,
          n: standing.n,
          from: instant(standing.from)
        },
        term_structure: term.map(termRow),
        term_slope_pts: less(quarter.atm, week.atm),
        skew_25d: month.rr25,
        butterfly_25d: month.bf25,
        realised_30d_pct: realised.pct,
        realised_n: realised.n,
        iv_minus_rv: less(month.atm, realised.pct),
        notes: notesOn(month, standing, realised),
        ...provenanceOf(read),
        source: year === null ? sourceOf(read, ofPrices) : sourceOf(read, year, ofPrices)
      }
    })
  })
)
