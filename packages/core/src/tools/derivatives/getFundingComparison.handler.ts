import { Effect } from "effect"
import { fundingFields } from "../../analysis/derivatives/fundingStanding.ts"
import { orEmpty } from "../../analysis/signals/readings.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { percent } from "../../engine/tool/rounding.ts"
import { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import type { VenueFunding } from "../../market/derivative.ts"
import { NoData } from "../../market/errors.ts"
import { provenanceOf, sourceOf } from "../../market/provenance.ts"
import { minuteMs } from "../../market/timeframe.ts"
import { getFundingComparison } from "./getFundingComparison.ts"

/** A rate that lags behind the newest one by more than this gets a note. */
const staleMs = 10 * minuteMs

const rowOf = (
  { fundingRate, intervalHours, nextFundingAt, time, venue }: VenueFunding,
  openInterestUsd: number | undefined
) => {
  const { annualised_pct, funding_rate_pct, rate_8h_pct } = fundingFields(fundingRate, intervalHours)
  return {
    venue,
    time: instant(time),
    funding_rate_pct,
    interval_hours: intervalHours,
    rate_8h_pct,
    // Rounded as in the result, so that the spread matches the rows.
    annualised_pct: percent(annualised_pct),
    next_time: nextFundingAt === null ? null : instant(nextFundingAt),
    open_interest_usd: openInterestUsd ?? null
  }
}

type Row = ReturnType<typeof rowOf>

/**
 * Returns the mean weighted by open interest. Null if a venue's open interest is unknown, because the mean would omit
 * that venue.
 */
const weightedOf = (rows: ReadonlyArray<Row>): number | null => {
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
      const read = yield* derivatives.fundingByVenue(coin)
      if (read.value.length === 0) {
        return yield* new NoData({
          subject: `${coin} funding by venue`,
          reason: { key: "none_recorded", params: { symbol: coin } }
        })
      }
      const openInterest = yield* orEmpty(derivatives.openInterestByVenue(coin))
      const usdOf = new Map(openInterest.value.map(({ openInterestUsd, venue }) => [venue, openInterestUsd]))
      const rows = read.value
        .map((one) => rowOf(one, usdOf.get(one.venue)))
        .sort((a, b) => b.annualised_pct - a.annualised_pct)
      const [short, long] = [rows[0]!, rows.at(-1)!]
      const weighted = weightedOf(rows)
      const newest = Math.max(...read.value.map(({ time }) => time))
      const stale = read.value.filter(({ time }) => time < newest - staleMs).map(({ venue }) => venue)
      const notes: Array<string> = []
      if (rows.length === 1) notes.push("One venue alone is recorded: there is nothing to compare it with.")
      if (stale.length > 0) notes.push(`Rates that lag by more than 10 minutes: ${stale.join(", ")}.`)
      if (weighted === null) {
        notes.push("weighted_annualised_pct is null: the open interest of some venue is not recorded.")
      }
      return {
        coin,
        venues: rows,
        long_venue: rows.length === 1 ? null : long.venue,
        short_venue: rows.length === 1 ? null : short.venue,
        spread_annualised_pct: rows.length === 1 ? null : short.annualised_pct - long.annualised_pct,
        weighted_annualised_pct: weighted,
        notes,
        ...provenanceOf(read),
        source: sourceOf(read, openInterest)
      }
    })
  })
)
