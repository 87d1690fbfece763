import { hourMs, type Interval, minuteMs, SourceUnavailable } from "@tapeline/core/market"
import type { PointRow, pointsKinds } from "@tapeline/core/market/store"
import { Clock, Effect } from "effect"
import type { SeriesResponse } from "../collect/collector.ts"

type Row<K extends keyof typeof pointsKinds> = PointRow<keyof typeof pointsKinds[K]["columns"] & string>

export type PerpetualRow = Row<"perpetuals">
export type FundingPaymentRow = Row<"fundingPrints">
export type TakerFlowRow = Row<"takerFlow">

/** The rows of an interval, and the time up to which the rows are complete. */
export type RowsResponse<R> = Pick<SeriesResponse<never>, "since" | "until"> & { readonly rows: ReadonlyArray<R> }

type FetchSeries<R> = (
  coin: string,
  interval: Interval
) => Effect.Effect<RowsResponse<R> | null, SourceUnavailable>

/**
 * The data of a venue's perpetuals. A request returns null if the venue does not have the perpetual, or the series.
 *
 * Only the preferred venue provides open interest. Other venues have at most a quarter as much open interest, so a
 * change of venue would look like a large outflow.
 */
export interface PerpetualVenue {
  /** The name of the venue in rows and results. */
  readonly name: string
  /** The listing time of each coin that has a tradable perpetual. */
  readonly listings: Effect.Effect<ReadonlyMap<string, number>, SourceUnavailable>
  /**
   * Fetches the current records of coins. Coins that the venue cannot provide are omitted. Fails if no returned data is
   * close to the time `at`. Returns null if the venue lists none of the coins.
   */
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

/** The delay after which a response no longer counts for the scheduled time. */
export const maxDelayMs = minuteMs

/** The maximum delay for which a record waits for account ratios, which need one request per coin. */
const maxRatioWaitMs = 0.75 * maxDelayMs

/**
 * Returns the rows whose time is close to `at`. A wrong clock, local or at the source, must not move a record to
 * another time. Fails as `malformed` if rows exist, but none is close to `at`.
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
 * Fetches the account ratio for the time `at`. Returns null if the ratio does not arrive in time, so that the record is
 * not delayed.
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

/** Returns the interval to request for a current account ratio. Venues publish ratios every five minutes. */
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

/** Merges open interest and account ratios by time into records. */
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
 * Returns the time up to which funding payments are complete. One minute after the start of an hour, the hour's
 * payments are known, except a due payment that is late. A missing payment counts as late for at most ten minutes.
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
