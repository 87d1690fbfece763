import { Clock, Effect } from "effect"
import {
  fundingFields,
  type FundingStanding,
  fundingStanding,
  leastPayments,
  percentileMs
} from "../../analysis/derivatives/fundingStanding.ts"
import { recordNotes, unrecordedNotes } from "../../analysis/derivatives/notes.ts"
import { readTakerHour } from "../../analysis/derivatives/takerHours.ts"
import { readOpenInterestChange } from "../../analysis/signals/openInterest.ts"
import { orEmpty } from "../../analysis/signals/readings.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import type { PerpetualNow } from "../../market/derivative.ts"
import { provenanceOf, sourceOf } from "../../market/provenance.ts"
import type { Reading } from "../../market/reading.ts"
import { dayMs, hourMs, minuteMs } from "../../market/timeframe.ts"
import { getDerivatives } from "./getDerivatives.ts"

const recordMs = 5 * minuteMs
const noStanding: FundingStanding = { z: null, zN: 0, percentile: null, percentileN: 0 }

const fundingNotes = ({ percentile, percentileN, z, zN }: FundingStanding): ReadonlyArray<string> =>
  percentile === null || zN < leastPayments
    ? [`funding_z and funding_percentile_90d need ${leastPayments} payments; ${percentileN} are recorded.`]
    : z === null
    ? ["funding_z is null: the payments before do not vary."]
    : []

/** Names the sources of the payments if one of them is not a source of the funding rate. */
const paymentNotes = (
  record: Reading<unknown>,
  payments: Reading<unknown>,
  { percentile }: FundingStanding
): ReadonlyArray<string> =>
  percentile === null || payments.sources.every((source) => record.sources.includes(source))
    ? []
    : [`funding_z and funding_percentile_90d compare the rate with payments of ${payments.sources.join(", ")}.`]

/**
 * Returns the venues of taker flow. A source that also provides the record has the record's venue. Other sources have
 * the names of their venues.
 */
const takerVenuesOf = (record: Reading<PerpetualNow>, taker: Reading<unknown>): ReadonlyArray<string> => {
  const { fundingVenue } = record.value
  return taker.sources
    .flatMap((source) => !record.sources.includes(source) ? [source] : fundingVenue === null ? [] : [fundingVenue])
    .toSorted()
}

export const handler = handlerOf(
  getDerivatives,
  Effect.gen(function*() {
    const derivatives = yield* CoinDerivatives
    return Effect.fnUntraced(function*({ coin }) {
      const now = yield* Clock.currentTimeMillis
      const read = yield* derivatives.perpetual(coin)
      const point = read.value
      const { fundingIntervalHours, fundingRate, fundingVenue, openInterestVenues, time } = point
      const prints = yield* orEmpty(derivatives.fundingPrints({ coin, from: time - percentileMs - minuteMs, to: time }))
      const standing = fundingRate === null || fundingIntervalHours === null
        ? noStanding
        : fundingStanding(fundingRate, fundingIntervalHours, prints.value, time)
      const hour = yield* readOpenInterestChange(derivatives, { coin, ...point }, hourMs)
      const day = yield* readOpenInterestChange(derivatives, { coin, ...point }, dayMs)
      const taker = yield* readTakerHour(derivatives, coin, Math.floor(time / recordMs) * recordMs)
      const rates = fundingRate === null || fundingIntervalHours === null
        ? null
        : fundingFields(fundingRate, fundingIntervalHours)
      const funding = {
        funding_rate_pct: rates?.funding_rate_pct ?? null,
        funding_interval_hours: fundingIntervalHours,
        funding_annualised_pct: rates?.annualised_pct ?? null
      }
      const openInterest = {
        open_interest: point.openInterest,
        open_interest_usd: point.openInterestUsd,
        oi_change_1h_coin_pct: hour.value.coinPct,
        oi_change_1h_usd_pct: hour.value.usdPct,
        oi_change_24h_coin_pct: day.value.coinPct,
        oi_change_24h_usd_pct: day.value.usdPct
      }
      const rest = {
        long_short_ratio: point.longShortRatio,
        mark_price: point.markPrice,
        index_price: point.indexPrice
      }
      return {
        coin,
        ...funding,
        funding_venue: fundingVenue,
        funding_z: standing.z,
        funding_z_n: standing.zN,
        funding_percentile_90d: standing.percentile,
        funding_percentile_n: standing.percentileN,
        ...openInterest,
        open_interest_venues: openInterestVenues,
        taker_buy_ratio: taker.value.buyRatio,
        taker_buy_usd: taker.value.buyUsd,
        taker_sell_usd: taker.value.sellUsd,
        taker_venues: taker.value.buyUsd === null ? [] : takerVenuesOf(read, taker),
        ...rest,
        notes: [
          ...recordNotes(time, now),
          ...unrecordedNotes({ ...funding, ...openInterest, ...rest }),
          ...fundingRate === null ? ["Without a funding rate its z and percentile are null."] : fundingNotes(standing),
          ...paymentNotes(read, prints, standing),
          ...taker.value.buyRatio === null ? ["The taker fields are null: that hour is not recorded whole."] : []
        ],
        ...provenanceOf(read),
        source: sourceOf(read, prints, hour, day, taker)
      }
    })
  })
)
