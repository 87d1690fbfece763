import { Effect } from "effect"
import { readRealised30d, type RealisedVolatility } from "../../analysis/options/coinVolatility.ts"
import { formatExpiryDate } from "../../analysis/options/expiry.ts"
import { type IvRank, makeIndexNotes, rankDays, rankIv, readIvYear } from "../../analysis/options/ivRank.ts"
import {
  interpolateAtMaturity,
  readTerm,
  type SmilePoint,
  type TermPoint
} from "../../analysis/options/termStructure.ts"
import { Compute } from "../../engine/compute/Compute.ts"
import { formatCount } from "../../engine/text/formatting.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { percent } from "../../engine/tool/rounding.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { ImpliedVolatilities } from "../../market/ImpliedVolatilities.ts"
import { OptionsVenue } from "../../market/OptionsVenue.ts"
import { provenanceOf, sourceText } from "../../market/provenance.ts"
import { getIvMetrics } from "./getIvMetrics.ts"

const subtractRounded = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? null : percent(a) - percent(b)

const makeNotes = (month: SmilePoint, standing: IvRank | null, realised: RealisedVolatility): Array<string> => {
  const notes: Array<string> = []
  if (month.atm === null) notes.push("No 30-day IV: no quoted expiries lie on both sides of 30 days.")
  else if (month.rr25 === null) notes.push("skew_25d and butterfly_25d are null: a 25-delta wing is not quoted.")
  if (standing === null) notes.push("iv_rank and iv_percentile are null: there is no current IV or no history.")
  else {
    if (standing.sampleSize < rankDays) {
      notes.push(`Rank and percentile use ${formatCount(standing.sampleSize, "day")}; other days were not recorded.`)
    }
    notes.push(...makeIndexNotes([standing], "Rank and percentile are", "atm_iv_pct"))
    if (standing.rank === null) notes.push("iv_rank is null: IV has not moved in its history.")
  }
  if (realised.pct === null) {
    notes.push("realised_30d_pct is null: less than two thirds of the last 720 hours is recorded.")
  }
  return notes
}

const toTermRow = ({ atm, bf25, days, expiryAt, rr25 }: TermPoint) => ({
  expiry: formatExpiryDate(expiryAt),
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
      const reading = yield* venue.chain({ coin })
      const term = yield* readTerm(compute, reading.value)
      const [week, month, quarter] = [
        interpolateAtMaturity(term, 7),
        interpolateAtMaturity(term, 30),
        interpolateAtMaturity(term, 90)
      ]
      const ivYearReading = yield* readIvYear(volatilities, coin, 30)
      const ivStanding = ivYearReading === null ? null : rankIv(ivYearReading.value, month.atm)
      const realisedReading = yield* readRealised30d(prices, coin)
      const realised = realisedReading.value
      return {
        coin,
        atm_iv_pct: { "7d": week.atm, "30d": month.atm, "90d": quarter.atm },
        iv_rank: ivStanding?.rank ?? null,
        iv_percentile: ivStanding?.percentile ?? null,
        history: ivStanding === null ? null : {
          method: ivStanding.method,
          current_pct: ivStanding.current,
          n: ivStanding.sampleSize,
          from: formatInstant(ivStanding.from)
        },
        term_structure: term.map(toTermRow),
        term_slope_pts: subtractRounded(quarter.atm, week.atm),
        skew_25d: month.rr25,
        butterfly_25d: month.bf25,
        realised_30d_pct: realised.pct,
        realised_n: realised.n,
        iv_minus_rv: subtractRounded(month.atm, realised.pct),
        notes: makeNotes(month, ivStanding, realised),
        ...provenanceOf(reading),
        source: ivYearReading === null
          ? sourceText(reading, realisedReading)
          : sourceText(reading, ivYearReading, realisedReading)
      }
    })
  })
)
