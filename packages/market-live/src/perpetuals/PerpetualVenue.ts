import { hourMs, type Interval, minuteMs, SourceUnavailable } from "@tapeline/core/market"
import type { PointRow, pointsKinds } from "@tapeline/core/market/store"
import { Clock, Effect } from "effect"
import type { SeriesResponse } from "../collect/collector.ts"

type Row<K extends keyof typeof pointsKinds> = PointRow<keyof typeof pointsKinds[K]["columns"] & string>

export type PerpetualRow = Row<"perpetuals">
export type FundingPaymentRow = Row<"fundingPrints">
export type TakerFlowRow = Row<"takerFlow">

/** The rows of an interval. `until` is the time up to which the rows are complete. */
export type RowsResponse<R> = Pick<SeriesResponse<never>, "since" | "until"> & { readonly rows: ReadonlyArray<R> }

type FetchSeries<R> = (
  coin: string,
  interval: Interval
) => Effect.Effect<RowsResponse<R> | null, SourceUnavailable>

/**
 * The data of a venue's perpetuals. A result is null if the venue does not list the perpetual or does not provide the
 * series.
 *
 * Only the preferred venue provides open interest, because a change of venue would look like a large outflow.
 */
export interface PerpetualVenue {
  readonly name: string
  /** The listing time of each coin that has a tradable perpetual. */
  readonly listings: Effect.Effect<ReadonlyMap<string, number>, SourceUnavailable>
  /** Fetches the current records of coins close to the time `at`, or null if the venue lists none of the coins. */
  readonly snapshot: (
    coins: ReadonlyArray<string>,
    at: number
  ) => Effect.Effect<ReadonlyMap<string, PerpetualRow> | null, SourceUnavailable>
  /** Fetches past open interest and account ratios, in five-minute steps. */
  readonly history: FetchSeries<PerpetualRow>
  readonly fundingPayments: FetchSeries<FundingPaymentRow>
  readonly takerFlow: FetchSeries<TakerFlowRow>
}

export const fiveMinutesMs = 5 * minuteMs

export const maxDelayMs = minuteMs

/**
 * The maximum time for which a perpetual's record waits for account ratios. The account ratio of each coin needs a
 * separate request.
 */
const maxRatioWaitMs = 0.75 * maxDelayMs

/**
 * Returns the rows whose time is close to `at`. Fails as `malformed` if all rows have other times. A wrong clock, local
 * or at the source, must not move a record to another time.
 */
export const selectTimely = <A extends { readonly time: number }>(
  source: string,
  rows: ReadonlyArray<A>,
  at: number
): Effect.Effect<ReadonlyArray<A>, SourceUnavailable> => {
  const timely = rows.filter(({ time }) => Math.abs(time - at) <= maxDelayMs)
  const newest = Math.max(...rows.map(({ time }) => time))
  if (timely.length > 0 || rows.length === 0) return Effect.succeed(timely)
  const seconds = Math.round(Math.abs(newest - at) / 1_000)
  const side = newest < at ? "before" : "after"
  const reason = `its latest mark price is ${seconds} s ${side} the recorded time: check the clocks`
  return Effect.fail(new SourceUnavailable({ source, failure: "malformed", reason, retryable: true }))
}

/**
 * Fetches the account ratio for the time `at`. Returns null if the request for the account ratio fails, or would delay
 * the record too long.
 */
export const fetchRatioInTime = <E>(
  fetchRatios: Effect.Effect<{ readonly value: ReadonlyArray<{ readonly longShortRatio: number }> }, E>,
  at: number
): Effect.Effect<number | null> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const leftMs = at + maxRatioWaitMs - now
    if (leftMs <= 0) return Effect.succeed(null)
    const first = Effect.map(fetchRatios, ({ value }) => value[0]?.longShortRatio ?? null)
    return Effect.orElseSucceed(Effect.timeout(first, leftMs), () => null)
  })

/**
 * Returns the interval to request for the account ratio at the time `at`. Venues publish account ratios every five
 * minutes.
 */
export const ratioIntervalAt = (at: number): Interval => ({
  from: Math.floor(at / fiveMinutesMs) * fiveMinutesMs,
  to: at + 1
})

export const unknownRecord = {
  fundingRate: null,
  fundingIntervalHours: null,
  openInterest: null,
  openInterestUsd: null,
  longShortRatio: null,
  markPrice: null,
  indexPrice: null
}

export const mergeRecords = (
  interest: ReadonlyArray<Pick<PerpetualRow, "openInterest" | "time"> & { readonly openInterestUsd?: number }>,
  ratios: ReadonlyArray<Pick<PerpetualRow, "longShortRatio" | "time">>
): ReadonlyArray<PerpetualRow> => {
  const rows = new Map<number, PerpetualRow>()
  for (const { openInterest, openInterestUsd = null, time } of interest) {
    rows.set(time, { ...unknownRecord, time, openInterest, openInterestUsd })
  }
  for (const { longShortRatio, time } of ratios) {
    rows.set(time, { ...unknownRecord, time, ...rows.get(time), longShortRatio })
  }
  return [...rows.values()].sort((a, b) => a.time - b.time)
}

/**
 * Returns the time up to which funding payments are complete. A missing funding payment counts as late for at most ten
 * minutes.
 */
export const paymentsCompleteUntil = (
  { from, to }: Interval,
  times: ReadonlyArray<number>,
  hours: number,
  now: number
): number => {
  const hourStart = Math.floor((now - minuteMs) / hourMs) * hourMs
  const isPaymentLate = hourStart % (hours * hourMs) === 0 && now - hourStart < 10 * minuteMs &&
    !times.some((time) => time >= hourStart)
  return Math.max(from, Math.min(to, isPaymentLate ? hourStart : hourStart + hourMs))
}
