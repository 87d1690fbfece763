import { Clock, Effect } from "effect"
import {
  type FundingRank,
  makeFundingFields,
  minPayments,
  percentilePeriodMs,
  rankFunding
} from "../../analysis/derivatives/fundingRank.ts"
import { nullFieldNotes, staleRecordNotes } from "../../analysis/derivatives/recordNotes.ts"
import { readTakerHour } from "../../analysis/derivatives/takerHours.ts"
import { readOpenInterestChange } from "../../analysis/signals/openInterest.ts"
import { orEmptyList } from "../../analysis/signals/readings.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import type { CurrentPerpetual } from "../../market/derivative.ts"
import { provenanceOf, sourceText } from "../../market/provenance.ts"
import type { Reading } from "../../market/reading.ts"
import { dayMs, hourMs, minuteMs } from "../../market/timeframe.ts"
import { getDerivatives } from "./getDerivatives.ts"

const recordMs = 5 * minuteMs
const noStanding: FundingRank = { zScore: null, zScoreCount: 0, percentile: null, percentileCount: 0 }

const makeFundingNotes = ({ percentile, percentileCount, zScore, zScoreCount }: FundingRank): ReadonlyArray<string> =>
  percentile === null || zScoreCount < minPayments
    ? [`funding_z and funding_percentile_90d need ${minPayments} payments; ${percentileCount} are recorded.`]
    : zScore === null
    ? ["funding_z is null: the previous payments do not vary."]
    : []

/** Returns a note on the sources of the funding payments if one of these sources does not report the funding rate. */
const makePaymentNotes = (
  record: Reading<unknown>,
  payments: Reading<unknown>,
  { percentile }: FundingRank
): ReadonlyArray<string> =>
  percentile === null || payments.sources.every((source) => record.sources.includes(source))
    ? []
    : [`funding_z and funding_percentile_90d compare the rate with payments of ${payments.sources.join(", ")}.`]

/**
 * Returns the venues of the taker flow. For a source of `record`, the venue is `fundingVenue`. For any other source,
 * the source's name is the venue's name.
 */
const listTakerVenues = (record: Reading<CurrentPerpetual>, taker: Reading<unknown>): ReadonlyArray<string> => {
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
      const reading = yield* derivatives.perpetual(coin)
      const point = reading.value
      const { fundingIntervalHours, fundingRate, fundingVenue, openInterestVenues, time } = point
      const prints = yield* orEmptyList(
        derivatives.fundingPayments({ coin, from: time - percentilePeriodMs - minuteMs, to: time })
      )
      const standing = fundingRate === null || fundingIntervalHours === null
        ? noStanding
        : rankFunding(fundingRate, fundingIntervalHours, prints.value, time)
      const hour = yield* readOpenInterestChange(derivatives, { coin, ...point }, hourMs)
      const day = yield* readOpenInterestChange(derivatives, { coin, ...point }, dayMs)
      const taker = yield* readTakerHour(derivatives, coin, Math.floor(time / recordMs) * recordMs)
      const rates = fundingRate === null || fundingIntervalHours === null
        ? null
        : makeFundingFields(fundingRate, fundingIntervalHours)
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
      const otherFields = {
        long_short_ratio: point.longShortRatio,
        mark_price: point.markPrice,
        index_price: point.indexPrice
      }
      return {
        coin,
        ...funding,
        funding_venue: fundingVenue,
        funding_z: standing.zScore,
        funding_z_n: standing.zScoreCount,
        funding_percentile_90d: standing.percentile,
        funding_percentile_n: standing.percentileCount,
        ...openInterest,
        open_interest_venues: openInterestVenues,
        taker_buy_ratio: taker.value.buyRatio,
        taker_buy_usd: taker.value.buyUsd,
        taker_sell_usd: taker.value.sellUsd,
        taker_venues: taker.value.buyUsd === null ? [] : listTakerVenues(reading, taker),
        ...otherFields,
        notes: [
          ...staleRecordNotes(time, now),
          ...nullFieldNotes({ ...funding, ...openInterest, ...otherFields }),
          ...fundingRate === null
            ? ["funding_z and funding_percentile_90d are null because there is no funding rate."]
            : makeFundingNotes(standing),
          ...makePaymentNotes(reading, prints, standing),
          ...taker.value.buyRatio === null ? ["The taker fields are null: the hour was not recorded completely."] : []
        ],
        ...provenanceOf(reading),
        source: sourceText(reading, prints, hour, day, taker)
      }
    })
  })
)
