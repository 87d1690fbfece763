import { hourMs, type Interval, minuteMs, SourceUnavailable } from "@tapeline/core/market"
import type { PointRow, pointsKinds } from "@tapeline/core/market/store"
import { Clock, Effect } from "effect"
import type { SeriesResponse } from "../collect/collector.ts"

type Row<K extends keyof typeof pointsKinds> = PointRow<keyof typeof pointsKinds[K]["columns"] & string>

export type PerpetualRow = Row<"perpetuals">
export type FundingPaymentRow = Row<"fundingPrints">
export type TakerFlowRow = Row<"takerFlow">

/** The rows of an interval, and the time up to which they are complete. */
export type RowsResponse<R> = Pick<SeriesResponse<never>, "since" | "until"> & { readonly rows: ReadonlyArray<R> }

type FetchSeries<R> = (
  coin: string,
  interval: Interval
) => Effect.Effect<RowsResponse<R> | null, SourceUnavailable>

/**
 * The data of a venue's perpetuals. Null is a perpetual, or a series, that the venue does not have. Only the first
 * venue provides open interest. On the other venues it is at most a quarter as large, so a change of venue would look
 * like money flowing in or out.
 */
export interface PerpetualVenue {
  /** The name in rows and results. */
  readonly name: string
  /** The coins with a trading perpetual, and when each was listed. */
  readonly listings: Effect.Effect<ReadonlyMap<string, number>, SourceUnavailable>
  /**
   * Records of the present instant; coins that the venue cannot provide are missing. Fails if all returned data is of
   * another time. Null if the venue has none of the coins.
   */
  readonly snapshot: (
    coins: ReadonlyArray<string>,
    at: number
  ) => Effect.Effect<ReadonlyMap<string, PerpetualRow> | null, SourceUnavailable>
  /** Past records, every five minutes: open interest and account ratios. */
  readonly history: FetchSeries<PerpetualRow>
  readonly fundingPayments: FetchSeries<FundingPaymentRow>
  readonly takerFlow: FetchSeries<TakerFlowRow>
}

export const fiveMinutesMs = 5 * minuteMs

/** The delay after which a response no longer counts for an instant. */
export const maxDelayMs = minuteMs

/** The time after an instant until which a record waits for account ratios, which need one request per coin. */
const maxRatioWaitMs = 0.75 * maxDelayMs

/**
 * Returns the rows that are close to an instant, because a wrong clock, ours or the source's, must not move a record.
 * If there are rows, but none of the instant, it fails as `malformed`.
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
  const reason =
    `the newest of its mark prices is ${seconds} s ${side} the instant that is recorded: compare the clocks`
  return Effect.fail(new SourceUnavailable({ source, failure: "malformed", reason, retryable: true }))
}

/** The account ratio of an instant, or null if it does not arrive in time: a record without it is better than none. */
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

/** The interval for the account ratio of a present instant: ratios are published every five minutes. */
export const ratioIntervalAt = (at: number): Interval => ({
  from: Math.floor(at / fiveMinutesMs) * fiveMinutesMs,
  to: at + 1
})

/** A record whose fields are all unknown. */
export const unknownRecord = {
  fundingRate: null,
  fundingIntervalHours: null,
  openInterest: null,
  openInterestUsd: null,
  longShortRatio: null,
  markPrice: null,
  indexPrice: null
}

/** Combines open interest and account ratios, each with its own instants, into records. */
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
 * The time up to which funding payments are complete. One minute after an hour begins, all its payments are known,
 * except one that is due and late. A missing payment counts as late for at most ten minutes.
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
