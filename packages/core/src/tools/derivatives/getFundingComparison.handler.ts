import { Effect } from "effect"
import { makeFundingFields } from "../../analysis/derivatives/fundingRank.ts"
import { orEmptyList } from "../../analysis/signals/readings.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { percent } from "../../engine/tool/rounding.ts"
import { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import type { VenueFunding } from "../../market/derivative.ts"
import { NoData } from "../../market/errors.ts"
import { provenanceOf, sourceText } from "../../market/provenance.ts"
import { minuteMs } from "../../market/timeframe.ts"
import { getFundingComparison } from "./getFundingComparison.ts"

/**
 * The maximum age of a funding rate relative to the newest rate. A funding rate that lags by more than `maxLagMs` gets
 * a note.
 */
const maxLagMs = 10 * minuteMs

const toRow = (
  { fundingRate, intervalHours, nextFundingAt, time, venue }: VenueFunding,
  openInterestUsd: number | undefined
) => {
  const { annualised_pct, funding_rate_pct, rate_8h_pct } = makeFundingFields(fundingRate, intervalHours)
  return {
    venue,
    time: formatInstant(time),
    funding_rate_pct,
    interval_hours: intervalHours,
    rate_8h_pct,
    // The rate is rounded as in the result, so that the spread matches the rows.
    annualised_pct: percent(annualised_pct),
    next_time: nextFundingAt === null ? null : formatInstant(nextFundingAt),
    open_interest_usd: openInterestUsd ?? null
  }
}

type Row = ReturnType<typeof toRow>

/** Returns the mean funding weighted by open interest, or null if a venue's open interest is unknown. */
const computeWeightedMean = (rows: ReadonlyArray<Row>): number | null => {
  let [sum, weights] = [0, 0]
  for (const { annualised_pct, open_interest_usd } of rows) {
    if (open_interest_usd === null) return null
    sum += annualised_pct * open_interest_usd
    weights += open_interest_usd
  }
  return weights > 0 ? sum / weights : null
}

export const handler = handlerOf(
  getFundingComparison,
  Effect.gen(function*() {
    const derivatives = yield* CoinDerivatives
    return Effect.fnUntraced(function*({ coin }) {
      const reading = yield* derivatives.fundingByVenue(coin)
      if (reading.value.length === 0) {
        return yield* new NoData({
          subject: `${coin} funding by venue`,
          reason: { key: "none_recorded", params: { symbol: coin } }
        })
      }
      const openInterest = yield* orEmptyList(derivatives.openInterestByVenue(coin))
      const usdByVenue = new Map(openInterest.value.map(({ openInterestUsd, venue }) => [venue, openInterestUsd]))
      const rows = reading.value
        .map((funding) => toRow(funding, usdByVenue.get(funding.venue)))
        .sort((a, b) => b.annualised_pct - a.annualised_pct)
      const [short, long] = [rows[0]!, rows.at(-1)!]
      const weighted = computeWeightedMean(rows)
      const newest = Math.max(...reading.value.map(({ time }) => time))
      const staleVenues = reading.value.filter(({ time }) => time < newest - maxLagMs).map(({ venue }) => venue)
      const notes: Array<string> = []
      if (rows.length === 1) notes.push("Only one venue is recorded, so there is no comparison.")
      if (staleVenues.length > 0) notes.push(`Rates older than 10 minutes: ${staleVenues.join(", ")}.`)
      if (weighted === null) {
        notes.push("weighted_annualised_pct is null: the open interest of a venue is not recorded.")
      }
      return {
        coin,
        venues: rows,
        long_venue: rows.length === 1 ? null : long.venue,
        short_venue: rows.length === 1 ? null : short.venue,
        spread_annualised_pct: rows.length === 1 ? null : short.annualised_pct - long.annualised_pct,
        weighted_annualised_pct: weighted,
        notes,
        ...provenanceOf(reading),
        source: sourceText(reading, openInterest)
      }
    })
  })
)
